import type { Schedule } from '@tandem/jobs';
import type { Message } from '@tandem/mail';
import { fail } from '@tandem/service';
import type { Signer as SignerRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { completedLetter, type EndStatus, endedLetter, requestLetter } from './letters.ts';
import { issueLink, scopeOf } from './links.ts';
import { turnOf, type WholeRequest } from './request.ts';

export interface Inside {
  tx: Tx;
  schedule: Schedule;
}

/** Links that were issued, by the id of the signer: only in the sandbox, where no mail is sent. */
export type IssuedUrls = Map<number, string>;

/**
 * Sends their link to those whose turn it is and who did not get one.
 * @throws 429 when the tenant may not send more messages today
 */
export async function notifyTurn(tools: Tools, inside: Inside, whole: WholeRequest): Promise<IssuedUrls> {
  const pending = turnOf(whole).filter(({ status }) => status === 'pending');
  const urls = await sendLinks(tools, inside, whole, { signers: pending, isReminder: false });
  await inside.tx.signer.updateMany({ where: { id: { in: pending.map(({ id }) => id) } }, data: { status: 'sent' } });
  for (const one of pending) one.status = 'sent';
  return urls;
}

/** Sends links to people. */
export async function sendLinks(
  tools: Tools,
  { tx, schedule }: Inside,
  { request }: WholeRequest,
  { signers, isReminder }: { signers: readonly SignerRow[]; isReminder: boolean },
): Promise<IssuedUrls> {
  if (!signers.length) return new Map();
  const filename = await filenameOf(tx, request);
  const urls: IssuedUrls = new Map();
  const messages: Message[] = [];
  for (const signer of signers) {
    const url = await issueLink(tools, tx, request, signer);
    urls.set(signer.id, url);
    messages.push(requestLetter({ request, signer, filename, url }, isReminder));
  }
  if (!(await tools.mailer.queue({ tx, schedule }, messages))) throw fail('mail_limit');
  const { environment } = await scopeOf(tx);
  return environment === 'sandbox' ? urls : new Map();
}

/** Sends everybody the link to the signed document. */
export async function sendCopies(
  tools: Tools,
  { tx, schedule }: Inside,
  { request, signers }: WholeRequest,
): Promise<void> {
  const filename = await filenameOf(tx, request);
  const messages: Message[] = [];
  for (const signer of signers)
    messages.push(completedLetter({ request, signer, filename, url: await issueLink(tools, tx, request, signer) }));
  // Over the limit of the tenant, the signed document is still in the file and behind the earlier links.
  await tools.mailer.queue({ tx, schedule }, messages);
}

/** Informs those who got a link that the request has ended. */
export async function sendEnd(
  tools: Tools,
  { tx, schedule }: Inside,
  { request, signers }: WholeRequest,
  end: { status: EndStatus; reason: string | null; except?: number },
): Promise<void> {
  const filename = await filenameOf(tx, request);
  const notified = signers.filter(({ id, status, role }) => status !== 'pending' && role !== 'cc' && id !== end.except);
  await tools.mailer.queue(
    { tx, schedule },
    notified.map((signer) => endedLetter({ request, signer, filename }, end)),
  );
}

async function filenameOf(tx: Tx, { fileId }: { fileId: number }): Promise<string> {
  const file = await tx.file.findFirst({ where: { id: fileId }, select: { filename: true } });
  return file?.filename ?? '';
}
