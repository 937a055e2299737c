import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPdfsig } from '@tandem/local/programs';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';
import {
  type Api,
  bytesOf,
  completed,
  links,
  mailedToken,
  request,
  tokenOf,
  uploadPdf,
} from './signatures.test-service.ts';

const packagesDir = join(import.meta.dirname, '../../../../../.local/poppler');

let service: TestFiles;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startFiles({ SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
});

it('a signed document has a signature that is valid, also for another program', async () => {
  const api = service.as();
  const file = await uploadPdf(api);
  const person = { name: 'Grace Hopper', email: 'grace@example.com' };
  const { data } = await request(api, file.id, { signers: [person] });
  const token = await mailedToken(mailbox, person.email);
  expect((await links(service).page(token)).text).not.toContain('sandbox');
  await links(service).sign(token);
  const { completedSha256 } = await completed(api, data.id);
  const verified = await api.verifySignature({ body: { fileId: file.id } });
  expect(verified.data).toMatchObject({ known: true, requestId: data.id, signature: { valid: true, problem: null } });
  const bytes = await bytesOf(service, api, file.id);
  const changed = await api.verifySignedUpload({
    form: { file: { content: Buffer.concat([bytes, Buffer.from('x')]) } },
  });
  expect(changed.data).toMatchObject({ known: false, signature: { valid: false, problem: 'appended' } });
  const byHash = await api.verifySignature({ body: { sha256: completedSha256.toUpperCase() } });
  expect(byHash.data).toMatchObject({ known: true, signature: null });
  await shows(api, 'Certificate of signature This page is part of the signed document. It proves who signed it');
  await expectPdfsig(bytes);
}, 300_000);

it.each([
  ['en', 'This is a test in the sandbox. Nobody has signed this document.', 'Certificate of signature Document'],
  [
    'de',
    'Dies ist ein Test in der Sandbox. Niemand hat dieses Dokument unterschrieben.',
    'Nachweis der Unterschriften Dokument',
  ],
])(
  'in the sandbox is shown as a test, in the language of the request (%s)',
  async (language, warning, heading) => {
    const api = service.as({ environment: 'sandbox' });
    const file = await uploadPdf(api);
    const { data } = await request(api, file.id);
    await service.sqlWithin(api.caller, 'UPDATE signature_request SET language = $1', [language]);
    const token = tokenOf(data.signers[0]);
    const open = links(service);
    expect((await open.page(token)).text).toContain(warning);
    await open.sign(token);
    await completed(api, data.id);
    expect((await open.page(token)).text).toContain(warning);
    await shows(api, `${warning} ${heading}`);
    const verified = await api.verifySignature({ body: { fileId: file.id } });
    expect(verified.data).toMatchObject({ known: true, signature: { valid: false, problem: 'sandbox' } });
    const bytes = await bytesOf(service, api, file.id);
    const uploaded = await service.as().verifySignedUpload({ form: { file: { content: bytes } } });
    expect(uploaded.data).toMatchObject({ known: false, signature: { valid: false, problem: 'sandbox' } });
    // For other programs, the mark is an attribute like any other one.
    await expectPdfsig(bytes);
  },
  300_000,
);

/** Waits until the search finds words, one after the other, in the text of the only file. */
async function shows(api: Api, words: string): Promise<void> {
  const query = { text: `"${words}"` };
  await until('the document has the words', async () => (await api.listFiles({ query })).data.length === 1);
}

/** Checks a signature by poppler. */
async function expectPdfsig(bytes: Buffer): Promise<void> {
  const path = `${process.env.TEST_DIR}/signed-${process.pid}.pdf`;
  await writeFile(path, bytes);
  const pdfsig = await findPdfsig(packagesDir);
  const { stdout } = await promisify(execFile)(pdfsig.path, [path], { env: pdfsig.env });
  expect(stdout).toContain('Signature is Valid.');
  expect(stdout).toContain('Total document signed');
  expect(stdout).toContain('ETSI.CAdES.detached');
}
