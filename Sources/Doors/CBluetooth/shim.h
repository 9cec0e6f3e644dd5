#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Swift cannot call ioctl, which has a variable number of arguments.
static inline int getDeviceInfo(int socket, struct hci_dev_info *info) { return ioctl(socket, HCIGETDEVINFO, info); }
