import { createHash } from 'node:crypto';
import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';
import {
  ada,
  aPdf,
  bytesOf,
  completed,
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

describe('signing', () => {
  it('by the last person stores the signed document as a version, with the values and a signature', async () => {
    const api = sandbox();
    const original = await aPdf([0, 90]);
    const file = await uploadPdf(api, original);
    const place = { page: 1, x: 0.1, width: 0.4, height: 0.08 };
    const { status, data } = await request(api, file.id, {
      signers: [ada, { ...zofia, role: 'approver' }, { name: 'Copy', email: 'copy@example.com', role: 'cc' }],
      fields: [
        { ...place, y: 0.2, type: 'signature', signerIndex: 0 },
        { ...place, y: 0.35, type: 'text', label: 'Place', signerIndex: 0 },
        { ...place, y: 0.5, type: 'date', signerIndex: 0 },
        { ...place, y: 0.6, type: 'checkbox', label: 'Terms', signerIndex: 1, page: 2 },
      ],
    });
    expect([status, data.status, data.pageCount, data.allowedTransitions]).toEqual([201, 'sent', 2, ['cancelled']]);
    const [first, second, copy] = data.signers;
    expect([first.status, second.status, copy.signingUrl]).toEqual(['sent', 'sent', null]);
    const open = links(service);
    const { data: view } = await open.get(tokenOf(first));
    expect(view).toMatchObject({
      canSign: true,
      filename: 'contract.pdf',
      signer: { role: 'signer', email: ada.email },
    });
    const read = await open.read(tokenOf(first));
    expect([read.status, read.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect((await getRequest(api, data.id)).signers[0].status).toBe('viewed');
    const ids = service.codec();
    const code = (id: string) => ids.encode('signature_field', api.caller.tenantId as number, Number(id));
    const text = data.fields.find(({ type }: { type: string }) => type === 'text').id;
    const box = data.fields.find(({ type }: { type: string }) => type === 'checkbox').id;
    expect(codeOf(await open.sign(tokenOf(first)))).toEqual([422, 'validation_failed']);
    const signed = await open.sign(tokenOf(first), { fields: { [code(text)]: 'Łódź' } });
    expect([signed.status, signed.data.signer.status, signed.data.canSign]).toEqual([200, 'signed', false]);
    expect(codeOf(await open.sign(tokenOf(first)))).toEqual([409, 'already_signed']);
    expect((await open.sign(tokenOf(second), { fields: { [code(box)]: true }, signature: undefined })).status).toBe(
      200,
    );
    const done = await completed(api, data.id);
    const bytes = await bytesOf(service, api, file.id);
    expect(done.completedSha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(bytes.subarray(0, original.length).equals(original)).toBe(true);
    const { data: current } = await api.getFile({ params: { id: file.id } });
    expect([current.versionId, current.versionNumber]).toEqual([done.completedVersionId, 2]);
    const verified = await api.verifySignature({ body: { fileId: file.id } });
    expect(verified.data).toMatchObject({ known: true, requestId: data.id, signature: { problem: 'sandbox' } });
    const trail = await api.getSignatureAuditTrail({ params: { requestId: data.id } });
    const { entries, isIntact } = JSON.parse(trail.text).data;
    expect([isIntact, entries.map(({ type }: { type: string }) => type)]).toEqual([
      true,
      ['created', 'sent', 'viewed', 'signed', 'approved', 'completed'],
    ]);
    expect(entries[3]).toMatchObject({ ip: '192.0.2.7', userAgent: 'Test browser' });
    const pdf = await api.getSignatureAuditTrail({ params: { requestId: data.id }, query: { format: 'pdf' } });
    expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
    const names = await until('the events are there', () => {
      const ours = service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId);
      const seen = ours.map(({ name }) => name).filter((name) => name.startsWith('signature.'));
      return seen.includes('signature.completed') && seen;
    });
    expect([...names].sort()).toEqual([
      'signature.completed',
      'signature.sent',
      'signature.signed',
      'signature.signed',
      'signature.viewed',
    ]);
  });

  it('in sequence invites the next person only when the one before has signed', async () => {
    const api = sandbox();
    const { data } = await request(api, (await uploadPdf(api)).id, {
      signingOrder: 'sequential',
      signers: [
        { ...zofia, order: 2 },
        { ...ada, order: 1 },
      ],
    });
    const [second, first] = data.signers;
    expect([first.status, second.status, second.signingUrl]).toEqual(['sent', 'pending', null]);
    const early = await api.remindSigners({ params: { requestId: data.id }, body: { signerId: second.id } });
    expect(codeOf(early)).toEqual([409, 'not_your_turn']);
    const open = links(service);
    expect((await open.sign(tokenOf(first))).status).toBe(200);
    const next = await getRequest(api, data.id);
    expect(next.signers.map(({ status }: { status: string }) => status)).toEqual(['sent', 'signed']);
    const reminded = await api.remindSigners({ params: { requestId: data.id }, body: {} });
    const token = tokenOf(reminded.data.signers[0]);
    const again = await api.remindSigners({ params: { requestId: data.id }, body: {} });
    expect([...codeOf(again), Number(again.headers['retry-after']) > 3_500]).toEqual([429, 'reminded_recently', true]);
    expect((await open.sign(token, { signature: { type: 'drawn', value: 'M10 10L200 100M5 5L9 9' } })).status).toBe(
      200,
    );
    await completed(api, data.id);
  });

  it.each(['M10 10L200 100M5 5L9 9', 'M 10 10 L 200 100 M 5 5 L 9 9'])('prints the drawing %s', async (value) => {
    const api = sandbox();
    const { data } = await request(api, (await uploadPdf(api)).id, {
      fields: [{ page: 1, x: 0.1, y: 0.2, width: 0.4, height: 0.08, type: 'signature', signerIndex: 0 }],
    });
    const signed = await links(service).sign(tokenOf(data.signers[0]), { signature: { type: 'drawn', value } });
    expect(signed.status).toBe(200);
    await completed(api, data.id);
  });

  it('counts once when two tabs sign at the same time', async () => {
    const api = sandbox();
    const { data } = await request(api, (await uploadPdf(api)).id, { signers: [ada, zofia] });
    const open = links(service);
    const token = tokenOf(data.signers[0]);
    const replies = await Promise.all([open.sign(token), open.sign(token), open.sign(token)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { text } = await api.getSignatureAuditTrail({ params: { requestId: data.id } });
    expect(JSON.parse(text).data.entries.filter(({ type }: { type: string }) => type === 'signed')).toHaveLength(1);
  });

  it('waits for a viewer, who is done by opening the document', async () => {
    const api = sandbox();
    const { data } = await request(api, (await uploadPdf(api)).id, { signers: [ada, { ...zofia, role: 'viewer' }] });
    const [signer, viewer] = data.signers;
    const open = links(service);
    await open.sign(tokenOf(signer));
    expect((await getRequest(api, data.id)).status).toBe('in_progress');
    expect(codeOf(await open.sign(tokenOf(viewer)))).toEqual([409, 'nothing_to_sign']);
    await open.read(tokenOf(viewer));
    await completed(api, data.id);
  });

  it('is over when somebody declines, the sender cancels, or the time is over', async () => {
    const api = sandbox();
    const file = await uploadPdf(api);
    const open = links(service);
    const { data: declined } = await request(api, file.id, { signers: [ada, zofia] });
    const [one, other] = declined.signers;
    expect((await open.decline(tokenOf(one))).data).toEqual({ declined: true });
    expect(await getRequest(api, declined.id)).toMatchObject({
      status: 'declined',
      allowedTransitions: [],
      signers: [{ status: 'declined', declineReason: 'Too expensive' }, { status: 'sent' }],
    });
    expect(codeOf(await open.sign(tokenOf(other)))).toEqual([404, 'link_expired']);
    const { data: cancelled } = await request(api, file.id);
    const params = { requestId: cancelled.id };
    expect((await api.cancelSignatureRequest({ params, body: { reason: 'Typo' } })).data.status).toBe('cancelled');
    expect(codeOf(await api.cancelSignatureRequest({ params, body: {} }))).toEqual([409, 'transition_refused']);
    expect(codeOf(await open.get(tokenOf(cancelled.signers[0])))).toEqual([404, 'link_expired']);
    const { data: late } = await request(api, file.id);
    await service.sqlWithin(
      api.caller,
      `UPDATE signature_request SET expires_at = now() - interval '1 minute' WHERE id = $1`,
      [late.id],
    );
    expect(codeOf(await open.sign(tokenOf(late.signers[0])))).toEqual([404, 'link_expired']);
    await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'expire-signature-request' AND payload->>'requestId' = $1`,
      [late.id],
    );
    const expired = await until('it is expired', async () => {
      const found = await getRequest(api, late.id);
      return found.status === 'expired' && found;
    });
    expect(expired.signers[0].status).toBe('expired');
  });

  it('refuses a token that was changed, is of another purpose, or was never stored', async () => {
    const api = sandbox();
    const { data } = await request(api, (await uploadPdf(api)).id);
    const token = tokenOf(data.signers[0]);
    const open = links(service);
    await service.sqlWithin(api.caller, `UPDATE signer SET token_hashes = '{}' WHERE id = $1`, [data.signers[0].id]);
    const statuses = [token, `${token}x`, 'x'].map(async (one) => (await open.get(one)).status);
    expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
  });

  it.each([
    [{ consent: false }, 'consent'],
    [{ signature: undefined }, 'signature'],
    [{ signature: { type: 'typed', value: ' ' } }, 'signature.value'],
    [{ signature: { type: 'drawn', value: 'M0 0C1 1 2 2 3 3' } }, 'signature.value'],
    [{ signature: { type: 'drawn', value: 'M0 0L5000 5000' } }, 'signature.value'],
    [
      { signature: { type: 'drawn', value: `data:image/png;base64,${Buffer.alloc(60).toString('base64')}` } },
      'signature.value',
    ],
    [{ signature: { type: 'drawn', value: pngHeader(30_000, 30_000) } }, 'signature.value'],
    [{ signature: { type: 'drawn', value: pngHeader(10, 10) } }, 'signature.value'],
    [{ fields: { unknown: 'x' } }, 'fields.unknown'],
  ])('refuses %j and names the field', async (body, field) => {
    const api = sandbox();
    const { data } = await request(api, (await uploadPdf(api)).id);
    const reply = await links(service).sign(tokenOf(data.signers[0]), body);
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
    expect((await getRequest(api, data.id)).status).toBe('sent');
  });
});

describe('the page', () => {
  it('signs by its form without JavaScript, and shows what happened', async () => {
    const api = sandbox();
    const { data } = await request(api, (await uploadPdf(api)).id, { message: 'Please <b>sign</b>' });
    const token = tokenOf(data.signers[0]);
    const open = links(service);
    const page = await open.page(token);
    expect([page.status, page.text.includes('Please &lt;b&gt;sign&lt;/b&gt;')]).toEqual([200, true]);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const missing = await open.submit(token, { action: 'sign', typed: 'Ada' });
    expect([missing.status, missing.headers['location']]).toEqual([302, `/sign/${token}?error=consent`]);
    expect((await open.page(token, { error: 'consent' })).text).toContain('Accept the text above the button');
    const signed = await open.submit(token, { action: 'sign', consent: 'yes', signature: 'typed', typed: 'Ada L' });
    expect([signed.status, signed.headers['location']]).toEqual([302, `/sign/${token}`]);
    await completed(api, data.id);
    expect((await open.page(token)).text).toContain('Everybody has signed');
  });

  it('declines by its form', async () => {
    const api = sandbox();
    const { data } = await request(api, (await uploadPdf(api)).id);
    const token = tokenOf(data.signers[0]);
    const open = links(service);
    expect((await open.submit(token, { action: 'decline', reason: ' ' })).headers['location']).toMatch(/error=reason$/);
    await open.submit(token, { action: 'decline', reason: 'No' });
    expect((await getRequest(api, data.id)).status).toBe('declined');
    expect((await open.page(token)).text).toContain('You have declined to sign');
  });
});

/** The start of a PNG of a size, without an image. */
function pngHeader(width: number, height: number): string {
  const png = Buffer.alloc(64);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(png);
  png.write('IHDR', 12, 'latin1');
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return `data:image/png;base64,${png.toString('base64')}`;
}
