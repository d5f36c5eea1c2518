import { RANK, rule } from "../rule";

const sriov = { plugin: "sriov" } as const;

/** What plugins that hand out devices say, and what is said of links. */
export const DEVICE_RULES = [
  rule(
    "device-unavailable",
    "The plugin was given no device",
    [
      "vf pci addr is required", "pci addr is required", 'specify either "device"', "no device id", "deviceid is required", "deviceid is not", "missing deviceid",
      "runtime config deviceid",
    ],
    { ...sriov, rank: RANK.fact, confidence: "high" },
  ),
  rule(
    "device-unavailable",
    "The device that was given is not there or not usable",
    [
      "failed to get vf information", "dpdk driver", "failed to find vf", "failed to configure vf", "failed to detect if vf", "failed to get original vf",
      "failed to find host device", "failed to find physical interface", "no net directory under pci", "failed to get vf netdevice", "failed to find network device",
      "failed to lookup vf", "failed to lookup device", "failed to find device", "failed to move vf", "failed to move if", "vf netdevice", "setupvf failed", "bringing interface up",
      "error setting up interface in container", "error setting up vf", "no such network interface", "no such device", "no healthy devices", "unhealthy devices",
      "unexpectedadmissionerror", "number of devices unavailable", "failed to allocate device", "unregistered device", "can't allocate", "allocate failed due to",
      "does not have a interface name", "uplink representor", "error with host device", "to container ns", "in container ns", "to tempns", "in tempns",
      "failed to move link", "netdevice to pci address", "failed to vf index", "failed to get vf index", "error getting vf link", "vf interface not found",
      "vfio not supported", "hardware offload disabled", "get the representor", "getting netdevice name", "vf representor", "failed to get representor",
      "failed to set vf", "cannot find device", "no available devices", "failed to find interface with any of the possible", "invalid pci address", "ibdev",
      "rdma device",
    ],
    { rank: RANK.statement, confidence: "high", without: ["cgroup", "macvlan", "ipvlan", 'failed to lookup master', "avc:", "permission denied", "could not open network device"] },
  ),
  rule(
    "cni-config-invalid",
    "The device is there and refuses a setting of the network that its driver or hardware does not know",
    ["failed to set vf"],
    { ...sriov, rank: RANK.pair, confidence: "medium", with: [["operation not supported", "invalid argument", "out of range"]] },
  ),
  rule(
    "device-unavailable",
    "The plugin could not hand its device to the pod",
    ["failed to set up pod interface"],
    { ...sriov, rank: RANK.symptom, confidence: "medium", with: [["from the device"]] },
  ),
  rule(
    "device-unavailable",
    "The device is held by another pod",
    ["pci address"],
    { ...sriov, rank: RANK.fact, confidence: "high", with: [["already allocated", "in use", "is already"]] },
  ),
  rule(
    "device-unavailable",
    "The device is in use",
    ["device or resource busy"],
    { rank: RANK.call, confidence: "medium", with: [["sriov", "vf ", "up:", "pci", "net1"]], without: ["netns", "umount", "unmount"] },
  ),
  rule(
    "device-unavailable",
    "No node offers the device",
    ["insufficient openshift.io/", "insufficient intel.com/", "insufficient nvidia.com/", "insufficient mellanox.com/"],
    { rank: RANK.statement, confidence: "medium" },
  ),

  rule(
    "cni-config-invalid",
    "The link that the network is to stand on (its master) is not on this node",
    [
      "failed to lookup master", "link not found", "no default route interface", "failed to find the master interface", "couldn't get interface", "master interface",
      "failed to lookup",
    ],
    {
      rank: RANK.statement,
      confidence: "medium",
      with: [["link not found", "master", "no default route", "no such network interface", "not found"]],
      without: ["sriov", "host-device", "vf ", "failed to lookup device", "failed to find device", "find host device"],
    },
  ),
  rule(
    "cni-config-invalid",
    "The network's settings are not valid for the link",
    [
      "unknown macvlan mode", "unknown ipvlan mode", "invalid mtu", "invalid vlan", "trunk parameter", "vlan id", "cannot set hairpin mode",
      "numerical result out of range", "incorrect trunk", "minid and maxid", "kernel device path", "chained master failure", "no ip addresses supplied",
      "invalid link_state", "at most 4 characters", "unreasonably small", "unreasonably large", "bandwidth annotation", "egress bandwidth", "ingress bandwidth",
      "invalid mac", "unknown link state", "vlan qos", "vlan proto", "invalid mode", "interface name is", "must be less than 15", "cannot use ipam when",
    ],
    { rank: RANK.statement, confidence: "medium", without: ["failed to set vf"] },
  ),
  rule("cni-config-invalid", "The network sets a sysctl that the node's list of allowed ones does not hold", ["is not allowed. only the following sysctls are allowed"], { rank: RANK.fact, confidence: "high" }),
  rule(
    "host-link-conflict",
    "A link of that name is there already, or belongs to something else",
    ["already exists but is not a bridge", "already has an ip address", "veth name", "already exists", "file exists", "name not unique on network"],
    {
      rank: RANK.call,
      confidence: "high",
      with: [
        ["could not add \"", "veth", "bridge", "link", "interface", "route", "rule", "cni0", "vxlan", "rtnetlink", "ipvlan", "macvlan", "device", "peer", "eth0", "netlink", "container", "pair", "tap", "add ip"],
      ],
      without: [
        "reserve", "pod sandbox with name", "container name", "resource already exists", "workloadendpoint", "endpoint already exists", "network-attachment", "socket",
        "unit already exists", "oci runtime", "runc create failed",
      ],
    },
  ),
  rule(
    "host-link-conflict",
    "A link of that name is already where this one is moved to",
    ["file exists", "already exists"],
    { rank: RANK.fact, confidence: "medium", with: [["failed to move", "to netns", "renaming interface", "failed to rename", "error renaming"]] },
  ),
  rule(
    "host-link-conflict",
    "Windows holds a network or an endpoint of that name from before",
    ["hns failed with error"],
    { rank: RANK.statement, confidence: "medium", with: [["already exists"]] },
  ),
  rule("host-link-conflict", "The bridge has an address of another range", ["already has an ip address"], { rank: RANK.fact, confidence: "high" }),
  rule(
    "host-link-conflict",
    "Something on the host rewrote the link that the plugin made",
    [
      "mac doesn't match", "mac mismatch", "mac does not match", "doesn't match container mac", "macaddresspolicy", "doesn't match link address", "does not match link",
      "unmanaged by networkmanager", "renamed by udev",
    ],
    { rank: RANK.fact, confidence: "high" },
  ),
  rule("host-link-conflict", "udev looks after the link that the plugin made, and may rewrite its address", ["could not generate persistent mac"], { rank: RANK.symptom, confidence: "low" }),
  rule(
    "host-link-conflict",
    "The address of the link, or the port of its tunnel, is in use by another link",
    ["address already in use"],
    {
      rank: RANK.statement,
      confidence: "medium",
      with: [["macvlan", "ipvlan", "vlan", "vxlan", "geneve", "flannel.", "up state", "tunnel", "set interface", "configure interface"]],
      without: [".sock", "unix", "listen"],
    },
  ),
  rule(
    "cni-config-invalid",
    "The address that is set cannot be given to the link",
    ["cannot assign requested address"],
    { rank: RANK.statement, confidence: "medium", without: ["dial tcp"] },
  ),
  rule(
    "host-link-conflict",
    "The link that the network stands on is used by something else, a bridge or another kind of sub-interface",
    ["device or resource busy"],
    { rank: RANK.statement, confidence: "medium", with: [["macvlan", "ipvlan", "vlan"]], without: ["netns"] },
  ),
  rule(
    "host-link-conflict",
    "Another route or rule is in the way",
    [
      "already exists for an interface other than", "route already exists", "rtnetlink answers: file exists", "conflicting route", "overlapping route",
    ],
    { rank: RANK.fact, confidence: "high" },
  ),
  rule(
    "host-link-conflict",
    "The interface is in use by another master",
    [
      "device is already a", "already enslaved", "is already used by", "can't be enslaved", "already a slave", "a vxlan device with the specified vni already",
      "port is already allocated", "duplicate ip address detected", "dad failed", "bridge port in error state", "does not have link type of bridge",
      "peer index doesn't match", "mac does not match", "was added for iface-id",
    ],
    { rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "host-link-conflict",
    "The node's own link could not be made or set up",
    [
      "failed to set bridge addr", "could not set bridge's mac", "failed to create bridge", "failed to make veth pair", "failed to connect \"veth",
      "error creating veth", "error adding veth",
    ],
    { rank: RANK.symptom, confidence: "low" },
  ),
] as const;
