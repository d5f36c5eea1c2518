/** How the status says that no kubelet's certificate is checked (`--kubelet-tls=insecure`); pages know it by this. */
export const TLS_NOT_CHECKED = "insecure: certificates are not checked";
