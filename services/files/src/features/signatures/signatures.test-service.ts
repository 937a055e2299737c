import { readFile } from 'node:fs/promises';
import { degrees, PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import type { Person } from '@tandem/contract';
import { files } from '@tandem/files-contract';
import type { Mailbox } from '@tandem/mailbox';
import { aPerson, until } from '@tandem/testing';
import type { TestFiles } from '../../files.test-service.ts';

export type Api = ReturnType<TestFiles['as']>;

/** A PDF with as many pages as rotations. */
export async function aPdf(rotations: readonly number[] = [0]): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const angle of rotations) {
    const page = document.addPage([600, 800]);
    page.drawText('Agreement', { x: 60, y: 700, size: 20, font });
    page.setRotation(degrees(angle));
  }
  return Buffer.from(await document.save());
}

export async function uploadPdf(api: Api, content?: Buffer, filename = 'contract.pdf'): Promise<{ id: string }> {
  const file = { content: content ?? (await aPdf()), filename, contentType: 'application/pdf' };
  const { status, data, body } = await api.uploadFile({ form: { file } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return data;
}

export const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };
export const zofia = { name: 'Žofia Müller', email: 'zofia@example.com' };

/** Requests signatures in the sandbox, where the response has the links. */
export async function request(api: Api, fileId: string, body: Record<string, unknown> = {}) {
  return api.createSignatureRequest({ params: { id: fileId }, body: { signers: [ada], ...body } });
}

/** The token of the link in the mail to a person, who has no other one. */
export async function mailedToken(mailbox: Mailbox, email: string): Promise<string> {
  const mail = await until('the mail arrives', () => mailbox.to(email)[0]);
  return /\/sign\/([^\s]+)/.exec(mail.text)?.[1] ?? '';
}

export function tokenOf({ signingUrl }: { signingUrl: string | null }): string {
  return (signingUrl ?? '').split('/sign/')[1] ?? '';
}

/** The operations of links, without credentials. */
export function links(service: TestFiles) {
  const { tenantId, ...nobody } = service.as({ type: 'anonymous', ip: '192.0.2.7', userAgent: 'Test browser' }).caller;
  return {
    get: (token: string) => service.send(files.getSigning, { params: { token } }, nobody),
    read: (token: string) => service.send(files.readSigningDocument, { params: { token } }, nobody),
    page: (token: string, query: Record<string, string> = {}) =>
      service.send(files.showSigningPage, { params: { token }, query }, nobody),
    sign: (token: string, body: Record<string, unknown> = {}) =>
      service.send(
        files.signDocument,
        {
          params: { token },
          body: { consent: true, signature: { type: 'typed', value: 'Ada Lovelace' }, ...body },
        },
        nobody,
      ),
    decline: (token: string, reason = 'Too expensive') =>
      service.send(files.declineSigning, { params: { token }, body: { reason } }, nobody),
    submit: (token: string, form: Record<string, string>) =>
      service.send(
        files.submitSigningPage,
        {
          params: { token },
          raw: { content: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' },
        },
        nobody,
      ),
  };
}

export const getRequest = async (api: Api, requestId: string) =>
  (await api.getSignatureRequest({ params: { requestId } })).data;

export const completed = (api: Api, requestId: string) =>
  until('the request is completed', async () => {
    const found = await getRequest(api, requestId);
    return found.status === 'completed' && found;
  });

/** The stored bytes of the current version of a file. */
export async function bytesOf(service: TestFiles, api: Api, fileId: string): Promise<Buffer> {
  const [row] = await service.sqlWithin(api.caller, 'SELECT object_key FROM file WHERE id = $1', [fileId]);
  const path = (await service.stored()).find((one) => one.endsWith(String(row?.['object_key'])));
  return readFile(path as string);
}

/** Starts the erasure of a person, in its last run. */
export async function erase(service: TestFiles, api: Api, known: Partial<Person>): Promise<void> {
  const payload = { erasureId: 1, person: aPerson(known), erased: {}, isLate: true, sweep: -1, after: [] };
  await service.sqlWithin(
    api.caller,
    `INSERT INTO platform.job (name, payload, due_at) VALUES ('erase-person', $1::jsonb, now())`,
    [JSON.stringify(payload)],
  );
}
