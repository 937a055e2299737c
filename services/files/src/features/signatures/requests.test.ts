import { PDFDocument } from '@cantoo/pdf-lib';
import { aPerson, until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';
import {
  type Api,
  ada,
  aPdf,
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

const sandbox = () => service.as({ environment: 'sandbox' });
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code];
const problemOf = ({ status, body }: Awaited<ReturnType<typeof request>>) => [status, body.errors?.[0]?.field];

describe('a request', () => {
  it('is refused for files that are no plain PDF, and names the remedy', async () => {
    const api = sandbox();
    const text = await api.uploadFile({ form: { file: { content: 'plain', filename: 'a.txt' } } });
    const locked = await PDFDocument.load(await aPdf());
    locked.encrypt({ userPassword: '', ownerPassword: 'owner', permissions: { printing: false } });
    const encrypted = Buffer.from(await locked.save());
    const document = await PDFDocument.create();
    document.addPage();
    document.addJavaScript('main', 'app.alert(1)');
    const scripted = await uploadPdf(api, Buffer.from(await document.save()));
    const truncated = await uploadPdf(api, (await aPdf()).subarray(0, 300));
    const ids = [text.data.id, (await uploadPdf(api, encrypted)).id, scripted.id, truncated.id];
    const replies = await Promise.all(ids.map((id) => request(api, id)));
    const refused = [422, 'document_not_signable'];
    expect(replies.map(codeOf)).toEqual([refused, refused, refused, refused]);
    expect(replies[2]?.body.errors?.[0]?.message).toMatch(/scripts/);
    expect((await api.listSignatureRequests({ params: { id: scripted.id } })).data).toEqual([]);
  });

  it.each([
    [{ signers: [] }, 'signers'],
    [{ signers: [{ ...ada, role: 'viewer' }] }, 'signers'],
    [{ signers: [ada, { ...ada, name: 'Other', email: 'ADA@example.com' }] }, 'signers.1.email'],
    [{ fields: [field({ page: 2 })] }, 'fields.0.page'],
    [{ fields: [field({ signerIndex: 1 })] }, 'fields.0.signerIndex'],
    [{ fields: [field({ x: 0.8 })] }, 'fields.0'],
    [{ expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
    [{ redirectUrl: 'javascript:alert(1)' }, 'redirectUrl'],
    [{ provider: 'docuseal' }, 'provider'],
  ])('is refused with %j and names the field', async (body, name) => {
    const api = sandbox();
    const { id } = await uploadPdf(api);
    expect(problemOf(await request(api, id, body))).toEqual([422, name]);
    expect((await api.listSignatureRequests({ params: { id } })).data).toEqual([]);
  });

  it('that is a draft is sent later, if its document and time are still there', async () => {
    const api = sandbox();
    const file = await uploadPdf(api);
    const draft = async () => (await request(api, file.id, { send: false })).data;
    const first = await draft();
    expect([first.status, first.signers[0].status, first.allowedTransitions]).toEqual([
      'draft',
      'pending',
      ['sent', 'cancelled'],
    ]);
    const params = { requestId: first.id };
    const headers = { 'if-match': '"7"' };
    expect((await api.sendSignatureRequest({ params, headers })).status).toBe(412);
    const { data } = await api.sendSignatureRequest({ params });
    expect([data.status, data.signers[0].status]).toEqual(['sent', 'sent']);
    expect(codeOf(await api.sendSignatureRequest({ params }))).toEqual([409, 'transition_refused']);
    const late = await draft();
    await service.sqlWithin(api.caller, 'UPDATE signature_request SET expires_at = now() WHERE id = $1', [late.id]);
    const lateParams = { requestId: late.id };
    expect(codeOf(await api.sendSignatureRequest({ params: lateParams }))).toEqual([409, 'request_expired']);
    const listed = await api.listSignatureRequests({ params: { id: file.id }, query: { status: 'draft' } });
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([late.id]);
  });

  it('keeps its file and version from being deleted while it is open', async () => {
    const api = sandbox();
    const file = (
      await api.uploadFile({
        form: { file: { content: await aPdf(), filename: 'a.pdf', contentType: 'application/pdf' } },
      })
    ).data;
    const { data } = await request(api, file.id);
    await api.createFileVersion({ params: { id: file.id }, form: { file: { content: 'newer' } } });
    const params = { id: file.id, versionId: file.versionId };
    const open = [409, 'signature_request_open'];
    expect(codeOf(await api.deleteFile({ params }))).toEqual(open);
    expect(codeOf(await api.deleteFile({ params, query: { permanent: 'true' } }))).toEqual(open);
    expect(codeOf(await api.deleteFileVersion({ params }))).toEqual(open);
    await api.cancelSignatureRequest({ params: { requestId: data.id }, body: {} });
    expect((await api.deleteFileVersion({ params })).status).toBe(200);
    expect((await api.deleteFile({ params })).status).toBe(200);
    expect((await api.getSignatureRequest({ params: { requestId: data.id } })).status).toBe(404);
  });

  it('follows the narrowing of its file', async () => {
    const owner = service.as({ environment: 'sandbox', teamIds: [21] });
    const file = await uploadPdf(owner);
    const { data } = await request(owner, file.id);
    const tenantId = owner.caller.tenantId as number;
    const as = (userId: number, teamIds: number[], reach: string) =>
      service.as({
        tenantId,
        environment: 'sandbox',
        userId,
        teamIds,
        can: [`files:read:${reach}`, `files:write:${reach}`],
      });
    const statuses = async (api: Api) => {
      const params = { requestId: data.id, id: file.id };
      return [
        (await api.getSignatureRequest({ params })).status,
        (await api.listSignatureRequests({ params })).status,
        (await api.getSignatureAuditTrail({ params })).status,
        (await api.remindSigners({ params, body: {} })).status,
        (await api.sendSignatureRequest({ params })).status,
      ];
    };
    expect(await statuses(as(2, [22], 'team'))).toEqual([404, 404, 404, 404, 404]);
    expect(await statuses(as(2, [21], 'own'))).toEqual([404, 404, 404, 404, 404]);
    expect(await statuses(service.as({ environment: 'sandbox' }))).toEqual([404, 404, 404, 404, 404]);
    expect(await statuses(as(2, [21], 'team'))).toEqual([200, 200, 200, 200, 409]);
  });

  it('shows a failure to make the document, which can be retried', async () => {
    const api = sandbox();
    const file = await uploadPdf(api);
    const { data } = await request(api, file.id, { signers: [ada, zofia] });
    const open = links(service);
    await open.sign(tokenOf(data.signers[0]));
    const change = (signature: unknown) =>
      service.sqlWithin(
        api.caller,
        `UPDATE signer SET signature = $2 FROM (SELECT id, signature FROM signer WHERE id = $1) AS before
         WHERE signer.id = before.id RETURNING before.signature`,
        [data.signers[0].id, signature],
      );
    const [before] = await change('broken');
    await open.sign(tokenOf(data.signers[1]));
    await until('the job has failed for the last time', async () => {
      await service.sqlWithin(
        api.caller,
        `UPDATE platform.job SET attempts = 9, due_at = now()
         WHERE name = 'complete-signature-request' AND state = 'waiting' AND attempts > 0 AND payload->>'requestId' = $1`,
        [data.id],
      );
      return (await getRequest(api, data.id)).problem === 'completion_failed';
    });
    const params = { requestId: data.id };
    const trail = async () => JSON.parse((await api.getSignatureAuditTrail({ params })).text).data.entries;
    const failures = async () =>
      (await trail()).filter(({ type }: { type: string }) => type === 'completion_failed').length;
    const retry = async () => {
      const retried = await api.retrySignatureRequest({ params });
      expect([retried.status, retried.data.problem]).toEqual([200, null]);
    };
    // A document without the signature is not made either.
    await change(null);
    await retry();
    await until('it has failed again', async () => (await failures()) === 2);
    expect((await getRequest(api, data.id)).problem).toBe('completion_failed');
    await change(before?.['signature']);
    await retry();
    await completed(api, data.id);
    expect(codeOf(await api.retrySignatureRequest({ params }))).toEqual([409, 'no_problem']);
  });
});

it('a change of the audit trail is found', async () => {
  const api = sandbox();
  const { data } = await request(api, (await uploadPdf(api)).id);
  const params = { requestId: data.id };
  const isIntact = async () => JSON.parse((await api.getSignatureAuditTrail({ params })).text).data.isIntact;
  expect(await isIntact()).toBe(true);
  const change = (set: string) =>
    service.sqlWithin(api.caller, `UPDATE signature_event SET ${set} WHERE request_id = $1 AND number = 1`, [data.id]);
  await change(`ip = '203.0.113.1'`);
  expect(await isIntact()).toBe(false);
  await change(`ip = NULL`);
  expect(await isIntact()).toBe(true);
  await change(`salt = NULL, ip = '203.0.113.1'`);
  expect(await isIntact()).toBe(false);
  await change(`ip = NULL, user_agent = NULL`);
  expect(await isIntact()).toBe(true);
  await change(`type = 'signed'`);
  expect(await isIntact()).toBe(false);
});

it('a signature counts when the tenant has reached its daily limit of messages, and the next person is invited later', async () => {
  const api = sandbox();
  const signers = [
    { ...ada, order: 1 },
    { ...zofia, order: 2 },
  ];
  const { data } = await request(api, (await uploadPdf(api)).id, { signers, signingOrder: 'sequential' });
  const limit = (messages: number) =>
    service.sqlWithin(api.caller, 'UPDATE platform.mail_count SET messages = $1', [messages]);
  await limit(1_000_000_000);
  expect((await links(service).sign(tokenOf(data.signers[0]))).status).toBe(200);
  const statuses = async () => (await getRequest(api, data.id)).signers.map(({ status }: { status: string }) => status);
  expect(await statuses()).toEqual(['signed', 'pending']);
  await limit(0);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'invite-signers'`, []);
  await until('the next person is invited', async () => (await statuses())[1] === 'sent');
});

it('reminders are repeated for those who have not signed', async () => {
  const api = sandbox();
  const { data } = await request(api, (await uploadPdf(api)).id, { reminderEveryDays: 2, signers: [ada, zofia] });
  await links(service).sign(tokenOf(data.signers[0]));
  const due = async () =>
    (
      await service.sqlWithin(
        api.caller,
        `SELECT due_at > now() + interval '47 hours' AS later FROM platform.job
         WHERE name = 'remind-signature-request' AND payload->>'requestId' = $1`,
        [data.id],
      )
    )[0]?.['later'];
  expect(await due()).toBe(true);
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'remind-signature-request' AND payload->>'requestId' = $1`,
    [data.id],
  );
  const reminded = await until('somebody was reminded', async () => {
    const found = await getRequest(api, data.id);
    return found.signers[1].remindedAt !== null && found;
  });
  expect(reminded.signers[0].remindedAt).toBeNull();
  await until('the next reminder is scheduled', due);
});

it('an erasure removes the person, keeps the chain of the trail, and ends what is open', async () => {
  const api = sandbox();
  const { data: done } = await request(api, (await uploadPdf(api)).id, { signers: [ada] });
  await links(service).sign(tokenOf(done.signers[0]));
  await completed(api, done.id);
  const { data: open } = await request(api, (await uploadPdf(api)).id, { signers: [ada, zofia] });
  const system = service.as({ ...api.caller, type: 'system', can: [] });
  const exported = await system.exportPerson({ body: { person: aPerson({ emails: [ada.email] }) } });
  const section = exported.data.sections.find(({ name }: { name: string }) => name === 'signers');
  expect(section).toMatchObject({ total: 2, records: [{ email: ada.email }, { email: ada.email, ip: '192.0.2.7' }] });
  await erase(service, api, { emails: [ada.email] });
  await until('the person is erased', async () => (await getRequest(api, done.id)).signers[0].name === 'Erased');
  expect(await getRequest(api, open.id)).toMatchObject({ status: 'cancelled', signers: [{ name: 'Erased' }, zofia] });
  const trail = await api.getSignatureAuditTrail({ params: { requestId: done.id } });
  const { entries, isIntact } = JSON.parse(trail.text).data;
  expect([isIntact, entries.map(({ ip }: { ip: unknown }) => ip).filter(Boolean)]).toEqual([true, []]);
});

function field(more: Record<string, unknown> = {}) {
  return { type: 'text', page: 1, x: 0.1, y: 0.1, width: 0.3, height: 0.1, signerIndex: 0, ...more };
}
