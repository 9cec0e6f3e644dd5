// A program of BlueZ in Go, with go-bluetooth, for which session.py describes the session.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/muka/go-bluetooth/api"
	"github.com/muka/go-bluetooth/bluez/profile/adapter"
	"github.com/muka/go-bluetooth/bluez/profile/device"
	"github.com/muka/go-bluetooth/bluez/profile/gatt"
)

const (
	base   = "0000%s-0000-1000-8000-00805f9b34fb"
	enough = 3
)

func say(line map[string]interface{}) {
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func found(hci *adapter.Adapter1) *device.Device1 {
	filter := adapter.NewDiscoveryFilter()
	filter.Transport = "le"
	filter.AddUUIDs(fmt.Sprintf(base, "180d"))
	events, cancel, err := api.Discover(hci, &filter)
	check(err)
	defer cancel()
	for event := range events {
		if event.Type == adapter.DeviceAdded {
			strap, err := device.NewDevice1(event.Path)
			check(err)
			return strap
		}
	}
	return nil
}

// part is a characteristic of a connected strap.
func part(strap *device.Device1, number string) *gatt.GattCharacteristic1 {
	characteristic, err := strap.GetCharByUUID(fmt.Sprintf(base, number))
	check(err)
	return characteristic
}

func octet(strap *device.Device1, number string) byte {
	value, err := part(strap, number).ReadValue(map[string]interface{}{})
	check(err)
	return value[0]
}

// listen shows heart rates until the link is lost, or, in the last one, until there are enough.
func listen(strap *device.Device1, last bool) {
	for strap.Connect() != nil {
		time.Sleep(time.Second)
	}
	for resolved := false; !resolved; time.Sleep(100 * time.Millisecond) {
		resolved, _ = strap.GetServicesResolved()
	}
	say(map[string]interface{}{"location": []string{"other", "chest"}[octet(strap, "2a38")]})
	say(map[string]interface{}{"battery": octet(strap, "2a19")})
	measurement := part(strap, "2a37")
	values, err := measurement.WatchProperties()
	check(err)
	states, err := strap.WatchProperties()
	check(err)
	check(measurement.StartNotify())
	for shown := 0; shown < enough || !last; {
		select {
		case change := <-values:
			if change != nil && change.Name == "Value" {
				say(map[string]interface{}{"heart_rate": map[string]byte{"bpm": change.Value.([]byte)[1]}})
				shown++
			}
		case change := <-states:
			if change != nil && change.Name == "Connected" && !change.Value.(bool) {
				say(map[string]interface{}{"state": "disconnected"})
				return
			}
		}
	}
	check(measurement.StopNotify())
	check(strap.Disconnect())
}

func main() {
	links, err := strconv.Atoi(os.Args[1])
	check(err)
	defer api.Exit()
	hci, err := api.GetAdapter("hci0")
	check(err)
	strap := found(hci)
	for link := 1; link <= links; link++ {
		listen(strap, link == links)
	}
}
