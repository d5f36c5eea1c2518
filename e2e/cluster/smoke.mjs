// smoke.mjs [OUT_DIR] - prove that the running cluster (KUBECONFIG) answers as a real one:
// RBAC, TokenRequest, TokenReview, SubjectAccessReview, paging, watch with bookmarks, events.
// With OUT_DIR every answer is kept there as JSON.
import assert from 'node:assert/strict';
import https from 'node:https';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const out = process.argv[2];
if (out) mkdirSync(out, { recursive: true });
const config = readFileSync(process.env.KUBECONFIG, 'utf8');
const field = (name) => config.match(new RegExp(`${name}: "([^"]+)"`))[1];
const server = new URL(field('server'));
const ca = readFileSync(field('certificate-authority'));
const admin = { cert: readFileSync(field('client-certificate')), key: readFileSync(field('client-key')) };

function request(method, path, { body, token, type = 'application/json', onLine } = {}) {
  return new Promise((resolve, reject) => {
    const headers = { ...(body && { 'content-type': type }), ...(token && { authorization: `Bearer ${token}` }) };
    const req = https.request({ host: server.hostname, port: server.port, path, method, ca, headers, ...(token ? {} : admin) }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        if (!onLine) return;
        const lines = text.split('\n');
        text = lines.pop();
        for (const line of lines) onLine(JSON.parse(line));
      }).on('end', () => resolve({ status: res.statusCode, body: onLine ? undefined : JSON.parse(text) }));
    }).on('error', reject);
    req.end(body && JSON.stringify(body));
  });
}
let passed = 0;
async function check(name, run) {
  const answer = await run();
  if (out) writeFileSync(join(out, `${name}.json`), JSON.stringify(answer, null, 2) + '\n');
  console.log(`ok ${name}`);
  passed++;
}

const ns = `smoke-${Date.now()}`;
const core = '/api/v1';
await check('version', async () => (await request('GET', '/version')).body);
await check('namespace', async () => {
  const { status, body } = await request('POST', `${core}/namespaces`, { body: { metadata: { name: ns } } });
  assert.equal(status, 201);
  return body;
});
let token;
await check('token-request', async () => {
  await request('POST', `${core}/namespaces/${ns}/serviceaccounts`, { body: { metadata: { name: 'viewer' } } });
  const { status, body } = await request('POST', `${core}/namespaces/${ns}/serviceaccounts/viewer/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } } });
  assert.equal(status, 201);
  ({ token } = body.status);
  return { ...body, status: { ...body.status, token: 'REMOVED' } };
});
await check('token-review', async () => {
  const { body } = await request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } } });
  assert.equal(body.status.authenticated, true);
  assert.equal(body.status.user.username, `system:serviceaccount:${ns}:viewer`);
  return { ...body, spec: { token: 'REMOVED' } };
});
await check('token-review-bad', async () => {
  const { body } = await request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'not-a-token' } } });
  assert.notEqual(body.status.authenticated, true);
  return body;
});
await check('rbac-denied', async () => {
  const { status, body } = await request('GET', `${core}/nodes`, { token });
  assert.equal(status, 403);
  return body;
});
await check('rbac-granted', async () => {
  await request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { body: { metadata: { name: ns },
    rules: [{ apiGroups: [''], resources: ['nodes', 'pods', 'events'], verbs: ['get', 'list', 'watch'] }] } });
  await request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { body: { metadata: { name: ns },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ns },
    subjects: [{ kind: 'ServiceAccount', name: 'viewer', namespace: ns }] } });
  let answer;
  for (let i = 0; i < 50 && answer?.status !== 200; i++) {
    answer = await request('GET', `${core}/nodes`, { token });
    await new Promise((r) => setTimeout(r, 100));
  }
  assert.equal(answer.status, 200);
  return { kind: answer.body.kind, items: answer.body.items.length };
});
for (const [name, verb, allowed] of [['subject-access-review-yes', 'list', true], ['subject-access-review-no', 'delete', false]]) {
  await check(name, async () => {
    const { body } = await request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: {
        user: `system:serviceaccount:${ns}:viewer`, resourceAttributes: { verb, resource: 'nodes' } } } });
    assert.equal(body.status.allowed, allowed);
    return body;
  });
}
await check('self-subject-access-review', async () => {
  const { body } = await request('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { token,
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: { verb: 'watch', resource: 'pods' } } } });
  assert.equal(body.status.allowed, true);
  return body;
});
await check('paging', async () => {
  for (let i = 0; i < 7; i++) await request('POST', `${core}/namespaces/${ns}/configmaps`, { body: { metadata: { name: `page-${i}` } } });
  const pages = [];
  let next = '';
  do {
    const { body } = await request('GET', `${core}/namespaces/${ns}/configmaps?limit=3&continue=${encodeURIComponent(next)}`);
    pages.push({ items: body.items.map((i) => i.metadata.name), metadata: { ...body.metadata, continue: body.metadata.continue && 'SET' } });
    next = body.metadata.continue;
  } while (next);
  assert.ok(pages.length >= 3);
  assert.ok(pages[0].metadata.remainingItemCount >= 4);
  return pages;
});
await check('paging-expired-or-bad-token', async () => {
  const { status, body } = await request('GET', `${core}/pods?limit=1&continue=bad`);
  assert.equal(status, 400);
  return body;
});
await check('event', async () => {
  const now = new Date().toISOString();
  const { status, body } = await request('POST', `${core}/namespaces/${ns}/events`, { body: {
    metadata: { name: 'e1' }, type: 'Warning', reason: 'FailedCreatePodSandBox', message: 'made by smoke', count: 1,
    firstTimestamp: now.slice(0, 19) + 'Z', lastTimestamp: now.slice(0, 19) + 'Z', source: { component: 'kubelet', host: 'n1' },
    involvedObject: { kind: 'Pod', namespace: ns, name: 'p', uid: 'u', apiVersion: 'v1' } } });
  assert.equal(status, 201);
  const list = await request('GET', `${core}/events?fieldSelector=${encodeURIComponent('reason=FailedCreatePodSandBox,type=Warning')}`);
  assert.ok(list.body.items.length >= 1);
  const grouped = await request('GET', `/apis/events.k8s.io/v1/namespaces/${ns}/events/e1`);
  assert.equal(grouped.body.note, 'made by smoke');
  return body;
});
await check('watch-list-with-bookmark', async () => {
  const seen = [];
  const path = `${core}/namespaces?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=3`;
  await request('GET', path, { onLine: (event) => seen.push({ type: event.type, name: event.object.metadata?.name, annotations: event.object.metadata?.annotations, resourceVersion: event.object.metadata?.resourceVersion }) });
  assert.ok(seen.some((e) => e.type === 'BOOKMARK' && e.annotations?.['k8s.io/initial-events-end'] === 'true'));
  return seen;
});
await check('watch-too-old', async () => {
  const seen = [];
  await request('GET', `${core}/namespaces?watch=1&resourceVersion=1&timeoutSeconds=2`, { onLine: (event) => seen.push(event) }).then((r) => seen.push({ status: r.status }));
  return seen.slice(0, 3);
});
await check('watch-bookmark-periodic', async () => {
  const { body } = await request('GET', `${core}/configmaps?limit=1`);
  const seen = [];
  await request('GET', `${core}/configmaps?watch=1&allowWatchBookmarks=true&resourceVersion=${body.metadata.resourceVersion}&timeoutSeconds=10`, {
    onLine: (event) => seen.push({ type: event.type, name: event.object.metadata?.name, resourceVersion: event.object.metadata?.resourceVersion }) });
  assert.ok(seen.some((e) => e.type === 'BOOKMARK'));
  return seen;
});
await check('node-object', async () => {
  await request('DELETE', `${core}/nodes/smoke-node`);
  const { status } = await request('POST', `${core}/nodes`, { body: { metadata: { name: 'smoke-node' } } });
  assert.equal(status, 201);
  const patched = await request('PATCH', `${core}/nodes/smoke-node/status`, { type: 'application/strategic-merge-patch+json', body: {
    status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'container runtime network not ready: NetworkReady=false' }] } } });
  assert.equal(patched.status, 200);
  await request('DELETE', `${core}/nodes/smoke-node`);
  return patched.body;
});
await request('DELETE', `${core}/namespaces/${ns}`);
await request('DELETE', `/apis/rbac.authorization.k8s.io/v1/clusterroles/${ns}`);
await request('DELETE', `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${ns}`);
console.log(`${passed} passed, 0 failed`);
