import { rename } from 'node:fs/promises';
import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';
import {
  type Api,
  ada,
  completed,
  erase,
  getRequest,
  links,
  request,
  tokenOf,
  uploadPdf,
  zofia,
} from './signatures.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

/** An open request to two people, in the sandbox, where the response has the links. */
async function asked(more: Record<string, unknown> = {}) {
  const api = service.as({ environment: 'sandbox' });
  const file = await uploadPdf(api);
  const { data, status } = await request(api, file.id, { signers: [ada, zofia], ...more });
  expect(status).toBe(201);
  return { api, file, data, tokens: data.signers.map(tokenOf) as [string, string] };
}

const announced = (api: Api, name: string) =>
  until(`${name} arrives`, () =>
    service.events.find((event) => event.name === name && event.tenantId === api.caller.tenantId),
  );
const trailOf = async (api: Api, requestId: string): Promise<string[]> => {
  const { text } = await api.getSignatureAuditTrail({ params: { requestId } });
  return JSON.parse(text).data.entries.map(({ type }: { type: string }) => type);
};

it('a person declines: the request ends for all, with the event and an entry of the trail', async () => {
  const { api, file, data, tokens } = await asked();
  const open = links(service);
  await open.sign(tokens[0]);
  expect((await open.decline(tokens[1], 'The price is wrong')).status).toBe(200);
  expect(await announced(api, 'signature.declined')).toMatchObject({
    data: { signatureRequestId: data.id, fileId: file.id, status: 'declined' },
    record: { status: 'declined' },
  });
  const found = await getRequest(api, data.id);
  expect([
    found.status,
    found.allowedTransitions,
    found.signers.map(({ status }: { status: string }) => status),
  ]).toEqual(['declined', [], ['signed', 'declined']]);
  expect((await trailOf(api, data.id)).at(-1)).toBe('declined');
  // The file is free again.
  expect((await api.deleteFile({ params: { id: file.id } })).status).toBe(200);
});

it('the sender cancels: links end, with the event and an entry of the trail', async () => {
  const { api, file, data, tokens } = await asked();
  await api.cancelSignatureRequest({ params: { requestId: data.id }, body: { reason: 'Wrong version' } });
  expect(await announced(api, 'signature.cancelled')).toMatchObject({
    data: { signatureRequestId: data.id, fileId: file.id, status: 'cancelled' },
  });
  const replies = await Promise.all(tokens.map((token) => links(service).sign(token)));
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([404, 'link_expired']));
  expect((await trailOf(api, data.id)).at(-1)).toBe('cancelled');
});

it('the time is over: those who have not signed are late, with the event and an entry of the trail', async () => {
  const { api, data, tokens } = await asked({ expiresAt: new Date(Date.now() + 3_000).toISOString() });
  expect((await links(service).sign(tokens[0])).status).toBe(200);
  expect(await announced(api, 'signature.expired')).toMatchObject({
    data: { signatureRequestId: data.id, status: 'expired' },
  });
  const found = await getRequest(api, data.id);
  expect([found.status, found.signers.map(({ status }: { status: string }) => status)]).toEqual([
    'expired',
    ['signed', 'expired'],
  ]);
  expect((await links(service).sign(tokens[1])).body.code).toBe('link_expired');
  expect((await trailOf(api, data.id)).at(-1)).toBe('expired');
});

it('a document that cannot be read is the problem of the request after all attempts, and a retry completes it', async () => {
  const { api, file, data, tokens } = await asked();
  const { failed, putBack } = await signedWithoutDocument({ api, file, data, tokens });
  expect([failed.problem, failed.status]).toEqual(['completion_failed', 'in_progress']);
  expect((await trailOf(api, data.id)).at(-1)).toBe('completion_failed');
  // People have signed it: it stays theirs until it is completed or cancelled.
  expect((await api.deleteFile({ params: { id: file.id } })).body.code).toBe('signature_request_open');
  await putBack();
  expect((await api.retrySignatureRequest({ params: { requestId: data.id } })).data.problem).toBeNull();
  expect((await completed(api, data.id)).signers.map(({ status }: { status: string }) => status)).toEqual([
    'signed',
    'signed',
  ]);
  await announced(api, 'signature.completed');
  expect((await api.listFileVersions({ params: { id: file.id } })).data).toHaveLength(2);
});

it('a person who is erased before the signed document is made is in it, and erased after that', async () => {
  const fields = [{ type: 'signature', page: 1, x: 0.1, y: 0.2, width: 0.4, height: 0.1, signerIndex: 0 }];
  const { api, file, data, tokens } = await asked({ fields });
  const { putBack } = await signedWithoutDocument({ api, file, data, tokens });
  await erase(service, api, { emails: [ada.email] });
  const erased = await until('the person is erased', () =>
    service.events.find(({ name, tenantId }) => name === 'personal_data.erased' && tenantId === api.caller.tenantId),
  );
  expect(erased.data).toMatchObject({ erased: { signers: 1, signaturesKeptForDocument: 1 } });
  const [address] = (await getRequest(api, data.id)).signers;
  expect(address.email).toMatch(/^erased-/);
  await putBack();
  await api.retrySignatureRequest({ params: { requestId: data.id } });
  await completed(api, data.id);
  const query = { text: '"Signed electronically by Ada Lovelace"' };
  await until('the document shows the signature', async () => (await api.listFiles({ query })).data.length === 1);
  const recipients = await service.sqlWithin(
    api.caller,
    `SELECT recipient FROM platform.mail WHERE template = 'signature_completed'`,
  );
  expect(recipients).toEqual([{ recipient: zofia.email }]);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'erase-signature'`);
  const [signer] = await until('the rest is erased', async () => {
    const { signers } = await getRequest(api, data.id);
    return signers[0].name === 'Erased' && signers;
  });
  const stored = await service.sqlWithin(api.caller, 'SELECT signature FROM signer WHERE id = $1', [signer.id]);
  expect(stored).toEqual([{ signature: null }]);
});

describe('at the daily limit of messages', () => {
  const limit = (api: Api, messages: number) =>
    service.sqlWithin(api.caller, 'UPDATE platform.mail_count SET messages = $1', [messages]);
  const recipients = async (api: Api, template: string) =>
    (
      await service.sqlWithin(
        api.caller,
        'SELECT recipient FROM platform.mail WHERE template = $1 ORDER BY recipient',
        [template],
      )
    ).map(({ recipient }) => recipient);
  const sendLater = async (api: Api) => {
    await limit(api, 0);
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'send-signature-outcome'`);
  };
  const copy = { name: 'Copy', email: 'copy@example.com', role: 'cc' };

  it('a request is completed, and everybody gets the signed document later', async () => {
    const { api, data, tokens } = await asked({ signers: [ada, copy] });
    await limit(api, 1_000_000_000);
    expect((await links(service).sign(tokens[0])).status).toBe(200);
    await completed(api, data.id);
    const hashes = 'SELECT cardinality(token_hashes) AS links FROM signer ORDER BY position';
    expect(await service.sqlWithin(api.caller, hashes)).toEqual([{ links: 1 }, { links: 0 }]);
    expect(await recipients(api, 'signature_completed')).toEqual([]);
    await sendLater(api);
    await until('the copies are queued', async () => (await recipients(api, 'signature_completed')).length > 0);
    expect(await recipients(api, 'signature_completed')).toEqual([ada.email, copy.email]);
    expect(await service.sqlWithin(api.caller, hashes)).toEqual([{ links: 2 }, { links: 1 }]);
  });

  it('a request ends, and those who had got a link are informed later', async () => {
    const signers = [ada, zofia, { ...copy, role: 'signer' }].map((one, index) => ({ ...one, order: index + 1 }));
    const { api, data, tokens } = await asked({ signers, signingOrder: 'sequential' });
    expect((await links(service).sign(tokens[0])).status).toBe(200);
    const reminded = await api.remindSigners({ params: { requestId: data.id }, body: {} });
    await limit(api, 1_000_000_000);
    expect((await links(service).decline(tokenOf(reminded.data.signers[1]))).status).toBe(200);
    expect(await recipients(api, 'signature_ended')).toEqual([]);
    await sendLater(api);
    await until('the message is queued', async () => (await recipients(api, 'signature_ended')).length > 0);
    expect(await recipients(api, 'signature_ended')).toEqual([ada.email]);
  });
});

type Asked = Awaited<ReturnType<typeof asked>>;

/** Has everybody sign a request whose document cannot be read, until all attempts to make the signed one are over. */
async function signedWithoutDocument({ api, file, data, tokens }: Asked) {
  const [row] = await service.sqlWithin(api.caller, 'SELECT object_key FROM file WHERE id = $1', [file.id]);
  const path = (await service.stored()).find((one) => one.endsWith(String(row?.['object_key']))) as string;
  await rename(path, `${path}.away`);
  for (const token of tokens) expect((await links(service).sign(token)).status).toBe(200);
  // Each attempt waits longer than the one before.
  const next = `UPDATE platform.job SET due_at = now() WHERE name = 'complete-signature-request' AND state = 'waiting'
    AND due_at > now()`;
  const failed = await until('the attempts are over', async () => {
    await service.sqlWithin(api.caller, next);
    const found = await getRequest(api, data.id);
    return found.problem !== null && found;
  });
  return { failed, putBack: () => rename(`${path}.away`, path) };
}
