/**
 * What would let Sandglass read a kubelet that it cannot read, in one sentence without a full stop: the mode that would work, where
 * the reason of the failure names one. Rests on the option that the reason carries with it (a certificate that is not trusted
 * says which), so that page, reason and way on never disagree.
 */
export function kubeletRemedy(reason: string | undefined): string {
  const pins = reason?.includes(PIN) === true;
  const takesAuthority = reason?.includes(AUTHORITY) === true;
  if (pins && takesAuthority) return `Start Sandglass with ${AUTHORITY} FILE, the authority that signed the kubelet's certificate, or with ${PIN}, which keeps the key seen first`;
  if (pins) return `Mend the kubelet's certificate, or start Sandglass with ${PIN}, which keeps the key seen first`;
  if (reason?.includes(KEY_CHANGED) === true) return "Find out who answers there; where the node was rebuilt, accept its new key (Visibility, Changed kubelet keys)";
  return "Let Sandglass reach the kubelet's port and grant get on nodes/metrics, or use --kubelet=proxy where it may get nodes/proxy already";
}

const PIN = "--kubelet-tls=pin";
const AUTHORITY = "--kubelet-ca";
const KEY_CHANGED = "the kubelet's key changed";
