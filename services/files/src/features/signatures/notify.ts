import type { Schedule } from '@tandem/jobs';
import type { Signer as SignerRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { isErased } from './erased.ts';
import { completedLetter, endedLetter, endStatus, requestLetter } from './letters.ts';
import { createLink, type NewLink, scopeOf, storeLink } from './links.ts';
import { turnOf } from './request.ts';
import type { WholeRequest } from './whole-request.ts';

export interface Inside {
  tx: Tx;
  schedule: Schedule;
}

/** Links that were issued, by the id of the signer: only in the sandbox, where no mail is sent. */
export type IssuedUrls = Map<number, string>;

/**
 * Sends their link to those whose turn it is and who did not get one.
 * @returns the links; undefined when the tenant may not send more messages today, and then nothing is changed
 */
export async function notifyTurn(tools: Tools, inside: Inside, whole: WholeRequest): Promise<IssuedUrls | undefined> {
  const pending = turnOf(whole).filter(({ status }) => status === 'pending');
  const urls = await sendLinks(tools, inside, whole, { signers: pending, isReminder: false });
  if (!urls) return undefined;
  await inside.tx.signer.updateMany({ where: { id: { in: pending.map(({ id }) => id) } }, data: { status: 'sent' } });
  for (const one of pending) one.status = 'sent';
  return urls;
}

/**
 * Sends links to people.
 * @returns as `notifyTurn`
 */
export async function sendLinks(
  tools: Tools,
  { tx, schedule }: Inside,
  { request }: WholeRequest,
  { signers, isReminder }: { signers: readonly SignerRow[]; isReminder: boolean },
): Promise<IssuedUrls | undefined> {
  if (!signers.length) return new Map();
  const filename = await filenameOf(tx, request);
  const links: { signer: SignerRow; link: NewLink }[] = [];
  for (const signer of signers) links.push({ signer, link: await createLink(tools, tx, request, signer) });
  const messages = links.map(({ signer, link: { url } }) =>
    requestLetter({ request, signer, filename, url }, isReminder),
  );
  if (!(await tools.mailer.queue({ tx, schedule }, messages))) return undefined;
  for (const { signer, link } of links) await storeLink(tx, signer, link);
  const { environment } = await scopeOf(tx);
  return new Map(environment === 'sandbox' ? links.map(({ signer, link }) => [signer.id, link.url]) : []);
}

/**
 * Sends everybody the link to the signed document, except people who were erased.
 * @returns false when the tenant may not send more messages today, and then nothing is changed
 */
export async function sendCopies(
  tools: Tools,
  { tx, schedule }: Inside,
  { request, signers }: WholeRequest,
): Promise<boolean> {
  const filename = await filenameOf(tx, request);
  const links: { signer: SignerRow; link: NewLink }[] = [];
  for (const signer of signers) {
    if (!isErased(signer)) links.push({ signer, link: await createLink(tools, tx, request, signer) });
  }
  const messages = links.map(({ signer, link: { url } }) => completedLetter({ request, signer, filename, url }));
  if (!(await tools.mailer.queue({ tx, schedule }, messages))) return false;
  for (const { signer, link } of links) await storeLink(tx, signer, link);
  return true;
}

/**
 * Informs those who got a link that the request has ended, except the person who declined.
 * @returns as `sendCopies`
 */
export async function sendEnd(
  tools: Tools,
  { tx, schedule }: Inside,
  { request, signers }: WholeRequest,
): Promise<boolean> {
  const filename = await filenameOf(tx, request);
  const end = { status: endStatus.parse(request.status), reason: request.cancelReason };
  const notified = signers.filter(
    ({ status, role, tokenHashes }) => tokenHashes.length > 0 && role !== 'cc' && status !== 'declined',
  );
  return tools.mailer.queue(
    { tx, schedule },
    notified.map((signer) => endedLetter({ request, signer, filename }, end)),
  );
}

const hourMs = 3_600_000;

/** When the limit of messages is checked again. */
export function sendAgainAt(): Date {
  return new Date(Date.now() + hourMs);
}

async function filenameOf(tx: Tx, { fileId }: { fileId: number }): Promise<string> {
  const file = await tx.file.findFirst({ where: { id: fileId }, select: { filename: true } });
  return file?.filename ?? '';
}
