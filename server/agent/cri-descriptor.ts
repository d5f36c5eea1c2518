import type { fromJSON } from "@grpc/proto-loader";

/**
 * The part of the CRI v1 interface that the agent uses, with the field numbers of its definition. Fields that are not
 * named here (labels and annotations of every sandbox above all) are passed over while decoding. The stats calls are left
 * out on purpose: on containerd they are dear and can hang behind one stuck sandbox.
 */
const DESCRIPTOR = {
  nested: {
    runtime: {
      nested: {
        v1: {
          nested: {
            RuntimeService: {
              methods: {
                Version: { requestType: "VersionRequest", responseType: "VersionResponse" },
                Status: { requestType: "StatusRequest", responseType: "StatusResponse" },
                ListPodSandbox: { requestType: "ListPodSandboxRequest", responseType: "ListPodSandboxResponse" },
                StopPodSandbox: { requestType: "SandboxRequest", responseType: "Nothing" },
                RemovePodSandbox: { requestType: "SandboxRequest", responseType: "Nothing" },
                ListContainers: { requestType: "ListContainersRequest", responseType: "ListContainersResponse" },
              },
            },
            VersionRequest: { fields: {} },
            VersionResponse: { fields: { runtime_name: { type: "string", id: 2 }, runtime_version: { type: "string", id: 3 } } },
            StatusRequest: { fields: { verbose: { type: "bool", id: 1 } } },
            RuntimeCondition: {
              fields: { type: { type: "string", id: 1 }, status: { type: "bool", id: 2 }, reason: { type: "string", id: 3 }, message: { type: "string", id: 4 } },
            },
            RuntimeStatus: { fields: { conditions: { rule: "repeated", type: "RuntimeCondition", id: 1 } } },
            StatusResponse: { fields: { status: { type: "RuntimeStatus", id: 1 }, info: { keyType: "string", type: "string", id: 2 } } },
            PodSandboxMetadata: {
              fields: { name: { type: "string", id: 1 }, uid: { type: "string", id: 2 }, namespace: { type: "string", id: 3 }, attempt: { type: "uint32", id: 4 } },
            },
            PodSandboxState: { values: { SANDBOX_READY: 0, SANDBOX_NOTREADY: 1 } },
            PodSandbox: {
              fields: {
                id: { type: "string", id: 1 },
                metadata: { type: "PodSandboxMetadata", id: 2 },
                state: { type: "PodSandboxState", id: 3 },
                created_at: { type: "int64", id: 4 },
              },
            },
            Nothing: { fields: {} },
            SandboxRequest: { fields: { pod_sandbox_id: { type: "string", id: 1 } } },
            PodSandboxFilter: { fields: { id: { type: "string", id: 1 } } },
            ListPodSandboxRequest: { fields: { filter: { type: "PodSandboxFilter", id: 1 } } },
            ListPodSandboxResponse: { fields: { items: { rule: "repeated", type: "PodSandbox", id: 1 } } },
            ContainerState: { values: { CONTAINER_CREATED: 0, CONTAINER_RUNNING: 1, CONTAINER_EXITED: 2, CONTAINER_UNKNOWN: 3 } },
            ContainerStateValue: { fields: { state: { type: "ContainerState", id: 1 } } },
            ContainerFilter: { fields: { state: { type: "ContainerStateValue", id: 2 } } },
            ListContainersRequest: { fields: { filter: { type: "ContainerFilter", id: 1 } } },
            ContainerMetadata: { fields: { name: { type: "string", id: 1 } } },
            Container: {
              fields: {
                id: { type: "string", id: 1 },
                pod_sandbox_id: { type: "string", id: 2 },
                metadata: { type: "ContainerMetadata", id: 3 },
                created_at: { type: "int64", id: 7 },
              },
            },
            ListContainersResponse: { fields: { containers: { rule: "repeated", type: "Container", id: 1 } } },
          },
        },
      },
    },
  },
};

/** The library's own type of such a descriptor lacks map fields and demands comments. */
export const CRI_V1 = DESCRIPTOR as unknown as Parameters<typeof fromJSON>[0];
