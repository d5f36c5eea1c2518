import type { HostOut } from "../contract/host";
import type { HostView } from "../domain/host-view";

/** What an agent saw on its node's disk, in the shape of the API. */
export const hostOut = ({ configFiles, configLoaded, configLoadedOther, binDirs, binaries, otherBinaries, staleMounts, mountsSeen }: HostView): HostOut => ({
  ...(configFiles === undefined ? {} : { configFiles: configFiles.map((file) => ({ ...file, pluginTypes: [...file.pluginTypes] })) }),
  ...(configLoaded === undefined ? {} : { configLoaded }),
  ...(configLoadedOther === undefined ? {} : { configLoadedOther }),
  ...(binDirs === undefined ? {} : { binDirs: [...binDirs] }),
  ...(binaries === undefined ? {} : { binaries: binaries.map((binary) => ({ ...binary, wantedBy: [...binary.wantedBy] })) }),
  ...(otherBinaries === undefined ? {} : { otherBinaries: [...otherBinaries] }),
  ...(staleMounts === undefined ? {} : { staleMounts: staleMounts.map((mount) => ({ ...mount })) }),
  ...(mountsSeen === undefined ? {} : { mountsSeen }),
});
