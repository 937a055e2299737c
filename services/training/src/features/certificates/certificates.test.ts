import { until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { suspended } from '../../peers.test-service.ts';
import { type Api, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const base = 'https://api.example.com';

/** A certificate of a course that was completed just now. */
async function aNewCertificate(fields: object = {}) {
  const {
    api,
    id: courseId,
    lessons,
  } = await aCourse(service, {
    certificate: { title: 'Certified seller', text: 'has passed', signatory: 'Λάμδα Ильич' },
    ...fields,
  });
  const { id: enrollmentId, own } = await anEnrollment(service, api, courseId);
  const done = await own.completeLesson({ params: { id: enrollmentId, lessonId: lessons[0] } });
  const id = done.data.enrollment.certificateId as string;
  const read = async () => (await own.getCertificate({ params: { id } })).data;
  return { api, own, id, enrollmentId, lessonId: lessons[0] as string, read };
}

/** A certificate that has the name of the learner. */
async function aCertificate(fields: object = {}) {
  const certificate = await aNewCertificate(fields);
  await until('it has the name', async () => (await certificate.read()).learnerName !== '');
  return certificate;
}

/** Sends a request of a visitor, who has no tenant. */
function visit(operation: 'getPublicCertificate' | 'showCertificatePage' | 'serveCertificate', params: object) {
  const { tenantId, ...nobody } = service.as({ type: 'anonymous', can: [] }).caller;
  return service.send(service.operations[operation], { params: params as Record<string, string> }, nobody);
}

const fileOf = async (api: Api, id: string) => {
  const { data } = await api.getCertificateDownloadUrl({ params: { id } });
  return visit('serveCertificate', { token: data.url.slice(`${base}/v1/public/certificate-files/`.length) });
};

it('a completion gives one certificate, which anybody with its code can verify', async () => {
  const { read, own, enrollmentId } = await aCertificate();
  const certificate = await read();
  expect(certificate).toMatchObject({
    enrollmentId,
    issuer: 'Analytical Engines Ltd',
    learnerName: 'Ada Lovelace 7',
    courseTitle: 'Selling',
    status: 'valid',
    expiresAt: null,
    allowedTransitions: ['revoked'],
  });
  expect(certificate.url).toBe(`${base}/certificates/${certificate.code}`);
  expect(certificate.code).toMatch(/^[A-Za-z0-9]{21}$/);
  const { status, data } = await visit('getPublicCertificate', { code: certificate.code });
  expect([status, data]).toMatchObject([200, { learnerName: 'Ada Lovelace 7', status: 'valid' }]);
  expect(data).not.toHaveProperty('enrollmentId');
  expect((await visit('getPublicCertificate', { code: 'x'.repeat(20) })).status).toBe(404);
  const page = await visit('showCertificatePage', { code: certificate.code });
  expect(page.text).toContain('<dd>Ada Lovelace 7</dd>');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect((await own.listCertificates({ query: {} })).data).toEqual([certificate]);
});

it('the document is a PDF behind a link that cannot be changed', async () => {
  const { api, id } = await aCertificate();
  const { status, headers, body } = await fileOf(api, id);
  expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
  expect(
    Buffer.from(body as never)
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  expect((await visit('serveCertificate', { token: 'changed' })).status).toBe(404);
});

it('the public page shows the names directly after the completion', async () => {
  const { read } = await aNewCertificate();
  const { status, text } = await visit('showCertificatePage', { code: (await read()).code });
  expect([status, text]).toEqual([200, expect.stringContaining('<dd>Ada Lovelace 7</dd>')]);
});

it('visitors wait for names that come late, but not for long', async () => {
  const { api, id, read } = await aCertificate();
  const { code } = await read();
  await service.sqlWithin(api.caller, `UPDATE certificate SET learner_name = '', issuer = '' WHERE id = $1`, [id]);
  const missing = await visit('showCertificatePage', { code });
  expect([missing.status, missing.headers['retry-after']]).toEqual([503, '2']);
  await service.sqlWithin(
    api.caller,
    `INSERT INTO platform.job (name, tenant_id, environment, payload, due_at)
     VALUES ('name-learner', $1, 'live', $2, now() + interval '300 ms')`,
    [api.caller.tenantId, JSON.stringify({ certificateId: id })],
  );
  const replies = [fileOf(api, id), visit('getPublicCertificate', { code }), visit('showCertificatePage', { code })];
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await read()).toMatchObject({ learnerName: 'Ada Lovelace 7', issuer: 'Analytical Engines Ltd' });
});

it('a revoked certificate stays visible as such, and has no document', async () => {
  const { api, own, id, read, enrollmentId } = await aCertificate();
  const { data: link } = await api.getCertificateDownloadUrl({ params: { id } });
  const revoke = (etag: string) =>
    api.revokeCertificate({ params: { id }, body: { reason: 'Cheated' }, headers: { 'if-match': etag } });
  expect((await revoke('"9"')).status).toBe(412);
  expect((await own.revokeCertificate({ params: { id }, body: {} })).status).toBe(403);
  const revoked = await revoke(`"${(await read()).version}"`);
  expect(revoked.data).toMatchObject({ status: 'revoked', revokeReason: 'Cheated', allowedTransitions: [] });
  expect((await api.revokeCertificate({ params: { id }, body: {} })).body.code).toBe('transition_refused');
  expect((await api.getCertificateDownloadUrl({ params: { id } })).body.code).toBe('certificate_revoked');
  const token = link.url.slice(`${base}/v1/public/certificate-files/`.length);
  expect((await visit('serveCertificate', { token })).status).toBe(404);
  expect((await visit('showCertificatePage', { code: revoked.data.code })).text).toContain('was revoked');
  expect((await own.getEnrollment({ params: { id: enrollmentId } })).data.status).toBe('completed');
});

it('a certificate is announced before its end, expires, and is renewed by another completion', async () => {
  const { api, own, id, read, enrollmentId, lessonId } = await aCertificate({ validDays: 90 });
  const { issuedAt, expiresAt } = await read();
  expect(Date.parse(expiresAt) - Date.parse(issuedAt)).toBe(90 * 86_400_000);
  const heard = (name: string) => service.events.some((event) => event.name === name && event.target.id === Number(id));
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'end-certificate' AND payload ->> 'kind' = 'expiring'`,
  );
  await until('it is announced', () => heard('training.certificate.expiring'));
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'end-certificate'`);
  await until('it expires', async () => (await read()).status === 'expired');
  expect((await own.listCertificates({ query: { status: 'valid' } })).data).toEqual([]);
  const { data: again } = await api.restartEnrollment({ params: { id: enrollmentId }, body: {} });
  expect([again.attemptNo, again.certificateId]).toEqual([2, null]);
  const done = await own.completeLesson({ params: { id: again.id, lessonId } });
  const renewed = done.data.enrollment.certificateId;
  expect(renewed).not.toBe(id);
  expect(
    (await own.listCertificates({ query: { status: 'valid' } })).data.map((one: { id: string }) => one.id),
  ).toEqual([renewed]);
  expect(await read()).toMatchObject({ enrollmentId, status: 'expired' });
});

it('a learner who is suspended meanwhile is named, and a certificate of the sandbox is marked as a test', async () => {
  const {
    api,
    id: courseId,
    lessons,
  } = await aCourse(service, {
    api: service.as({ environment: 'sandbox' }),
    certificate: { title: 'Certified seller' },
  });
  const { id } = await anEnrollment(service, api, courseId);
  await service.sqlWithin(api.caller, 'UPDATE enrollment SET learner_id = $2 WHERE id = $1', [id, suspended]);
  const done = await api.completeLesson({ params: { id, lessonId: lessons[0] as string } });
  const params = { id: done.data.enrollment.certificateId as string };
  const read = async () => (await api.getCertificate({ params })).data;
  await until('it has the name', async () => (await read()).learnerName === `Ada Lovelace ${suspended}`);
  const { code } = await read();
  expect((await visit('getPublicCertificate', { code })).data).toMatchObject({ environment: 'sandbox' });
  const page = (await visit('showCertificatePage', { code })).text;
  expect(page).toContain('This is a test certificate');
  expect(page).not.toContain('is valid');
});

it('a document with the longest texts is made', async () => {
  const long = (length: number) => 'Wer andern eine Grube gräbt '.repeat(40).slice(0, length);
  const certificate = { title: long(200), text: long(500), signatory: long(200), signatoryTitle: 'x'.repeat(200) };
  const { api, id } = await aCertificate({ title: long(200), certificate });
  expect((await fileOf(api, id)).status).toBe(200);
});
