#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <sys/socket.h>
