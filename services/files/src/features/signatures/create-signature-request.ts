import { actingUserId, type Caller } from '@tandem/caller';
import { signatureLimits, type signatureRequests } from '@tandem/files-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { findPresent, lockPresent } from '../files/file.ts';
import { documentNotSignable, readBytes, versionOf } from './document.ts';
import type { PageSize } from './pdf/document.ts';
import { asRequest, peopleAndFields } from './request.ts';
import { startRequest } from './start.ts';
import { record, senderOf } from './trail.ts';

type Body = z.output<typeof signatureRequests.createSignatureRequest.body>;

interface Found {
  versionId: number;
  documentSha256: string;
  filename: string;
  pages: PageSize[];
  senderName: string;
  language: string;
}

const dayMs = 86_400_000;

export const createSignatureRequest = (
  tools: Tools,
): Handler<typeof signatureRequests.createSignatureRequest, Found> => ({
  async check({ params, body, caller, tx }) {
    const file = await findPresent(tx, params.id);
    if (file.status !== 'available') throw fail('not_available');
    checkPeople(body);
    checkTimes(body);
    // Providers send mail themselves, also for the sandbox.
    if (body.provider !== 'builtin' && caller.environment === 'sandbox')
      throw failField('provider', 'Must be builtin in the sandbox, which sends no mail');
    if (body.provider !== 'builtin' && !tools.providers[body.provider])
      throw failField('provider', `${body.provider} is not configured here; use builtin`);
    // The provider would ignore it.
    if (body.provider !== 'builtin' && body.reminderEveryDays !== null)
      throw failField('reminderEveryDays', `Must be null: ${body.provider} sends its own reminders`);
    if (body.provider === 'docuseal' && body.signers.some(({ role }) => role === 'cc'))
      throw failField('signers', 'Must contain no person with the role cc, which docuseal does not support');
    if (file.detectedContentType !== 'application/pdf') throw documentNotSignable('not_pdf');
    const version = await versionOf(tx, file.versionId as number);
    const inspected = await tools.pdf.inspect(await readBytes(tools, version), caller.tenantId as number);
    if ('error' in inspected) throw documentNotSignable(inspected.error);
    checkFields(body, inspected.pages);
    const settings = await tools.settingsOf(caller).catch(() => undefined);
    return {
      versionId: version.id,
      documentSha256: version.checksumSha256,
      filename: file.filename,
      pages: inspected.pages,
      senderName: settings?.name ?? 'Tandem',
      language: settings?.locale ?? 'en',
    };
  },

  async run({ params, body, caller, found, tx, emit, schedule }) {
    // The lock keeps the version from being deleted before the request refers to it.
    await lockPresent(tx, params.id);
    await versionOf(tx, found.versionId);
    const id = await insert(tx, { fileId: params.id, body, found, caller });
    const request = await tx.signatureRequest.findFirst({ where: { id } });
    if (!request) throw fail('not_found');
    const whole = { request, ...(await peopleAndFields(tx, [id])) };
    const sender = senderOf(caller);
    await record(tx, request, { type: 'created', userId: sender.userId, by: sender });
    if (!body.send) return asRequest(whole);
    const urls = await startRequest(tools, { tx, emit, schedule }, whole, sender);
    return asRequest(whole, urls);
  },
});

async function insert(
  tx: Tx,
  { fileId, body, found, caller }: { fileId: number; body: Body; found: Found; caller: Caller },
): Promise<number> {
  const { signers, fields, subject = found.filename.slice(0, 150), expiresAt, send, ...columns } = body;
  const { versionId, documentSha256, senderName, language } = found;
  const request = await tx.signatureRequest.create({
    data: {
      ...columns,
      fileId,
      versionId,
      documentSha256,
      senderName,
      language,
      subject,
      pageCount: found.pages.length,
      expiresAt: expiresAt ?? new Date(Date.now() + signatureLimits.daysUsual * dayMs),
      createdBy: actingUserId(caller) ?? null,
    },
  });
  const requestId = request.id;
  const people = await tx.signer.createManyAndReturn({
    data: signers.map((signer, position) => ({ ...signer, email: signer.email.toLowerCase(), requestId, position })),
  });
  const idOf = new Map(people.map(({ id, position }) => [position, id]));
  if (fields.length)
    await tx.signatureField.createMany({
      data: fields.map(({ signerIndex, ...field }) => ({
        ...field,
        requestId,
        signerId: idOf.get(signerIndex) as number,
      })),
    });
  return requestId;
}

function checkPeople({ signers }: Body): void {
  if (!signers.some(({ role }) => role === 'signer' || role === 'approver'))
    throw failField('signers', 'Must contain a person with the role signer or approver');
  const seen = new Set<string>();
  for (const [index, { email }] of signers.entries()) {
    if (seen.has(email.toLowerCase()))
      throw failField(`signers.${index}.email`, 'Must be different for each person, because the link identifies them');
    seen.add(email.toLowerCase());
  }
}

function checkTimes({ expiresAt }: Body): void {
  if (!expiresAt) return;
  const latest = Date.now() + signatureLimits.daysMax * dayMs;
  if (expiresAt.getTime() <= Date.now()) throw failField('expiresAt', 'Must be in the future');
  if (expiresAt.getTime() > latest)
    throw failField('expiresAt', `Must be at most ${signatureLimits.daysMax} days ahead`);
}

function checkFields({ fields, signers }: Body, pages: readonly PageSize[]): void {
  for (const [index, { page, signerIndex, x, y, width, height, type }] of fields.entries()) {
    const at = `fields.${index}`;
    if (page > pages.length) throw failField(`${at}.page`, `Must be a page of the document, which has ${pages.length}`);
    const signer = signers[signerIndex];
    if (signer?.role !== 'signer' && signer?.role !== 'approver')
      throw failField(`${at}.signerIndex`, 'Must be the position of a person with the role signer or approver');
    if (type === 'signature' && signer.role === 'approver')
      throw failField(`${at}.signerIndex`, 'Must be a person with the role signer, because approvers do not sign');
    if (!(width > 0 && height > 0)) throw failField(`${at}.width`, 'Width and height must be greater than 0');
    if (x + width > 1.0001 || y + height > 1.0001)
      throw failField(at, 'Must be on the page: x + width and y + height are at most 1');
  }
}
