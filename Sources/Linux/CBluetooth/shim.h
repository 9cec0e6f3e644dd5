#pragma once
// The kernel's interface of Bluetooth sockets, which no header of the kernel has. Those of BlueZ have it, but under the
// GNU GPL. Linux, net/bluetooth/hci_sock.c and include/net/bluetooth/hci_sock.h.
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { bluetoothProtocolHCI = 1, noAdapter = 0xFFFF, userChannel = 1, controlChannel = 3 };

// `struct sockaddr_hci`.
struct HCISocketAddress {
    sa_family_t family;
    uint16_t adapter;
    uint16_t channel;
};

// `struct hci_dev_info`; bit 0 of the flags is HCI_UP.
struct HCIDeviceInformation {
    uint16_t adapter;
    char name[8];
    uint8_t address[6];
    uint32_t flags;
    uint8_t type;
    uint8_t features[8];
    uint32_t packetTypes, linkPolicy, linkMode;
    uint16_t aclSize, aclCount, scoSize, scoCount;
    uint32_t statistics[10];
};

_Static_assert(sizeof(struct HCIDeviceInformation) == 92, "the kernel copies as many octets");

// Swift cannot call ioctl, which has a variable number of arguments; the request is HCIGETDEVINFO.
static inline int getDeviceInformation(int socket, struct HCIDeviceInformation *information) {
    return ioctl(socket, _IOR('H', 211, int), information);
}
