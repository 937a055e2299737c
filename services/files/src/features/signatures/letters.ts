import { SignatureStatus } from '@tandem/files-contract';
import { type Message, renderLetter } from '@tandem/mail';
import type { z } from 'zod';
import type { SignatureRequest as RequestRow, Signer as SignerRow } from '../../generated/client.ts';
import { languageOf, textsOf, timeText } from './texts.ts';

interface LetterInput {
  request: RequestRow;
  signer: SignerRow;
  filename: string;
  url: string;
}

/** The message with the link by which a person acts. */
export function requestLetter({ request, signer, filename, url }: LetterInput, isReminder: boolean): Message {
  const { mail } = textsOf(request.language);
  const words = { signer: mail.request, approver: mail.approve }[signer.role] ?? mail.view;
  const subject = words.subject(request.subject);
  const title = words.title(request.senderName);
  const content = renderLetter({
    subject: isReminder ? mail.reminder(subject) : subject,
    language: languageOf(request.language),
    preview: title,
    title,
    paragraphs: [
      ...(request.message ? [request.message] : []),
      mail.document(filename, timeText(request.expiresAt, request.language)),
    ],
    button: { label: words.button, url, hint: mail.hint },
    notes: [mail.personal],
    footer: [mail.footer(request.senderName)],
  });
  return {
    kind: 'account',
    template: isReminder ? 'signature_reminder' : 'signature_request',
    to: signer.email,
    content,
  };
}

/** The message with the link to the signed document. */
export function completedLetter({ request, signer, filename, url }: LetterInput): Message {
  const { mail } = textsOf(request.language);
  const content = renderLetter({
    subject: mail.completed.subject(request.subject),
    language: languageOf(request.language),
    preview: mail.completed.text(filename),
    title: mail.completed.title,
    paragraphs: [mail.completed.text(filename)],
    button: { label: mail.completed.button, url, hint: mail.hint },
    footer: [mail.footer(request.senderName)],
  });
  return { kind: 'account', template: 'signature_completed', to: signer.email, content };
}

/** How a request ended before everybody signed. */
export const endStatus = SignatureStatus.extract(['cancelled', 'declined', 'expired']);

/** The message that a request was ended before everybody signed. */
export function endedLetter(
  { request, signer, filename }: Omit<LetterInput, 'url'>,
  { status, reason }: { status: z.output<typeof endStatus>; reason: string | null },
): Message {
  const { mail } = textsOf(request.language);
  const text = mail.ended[status](filename, request.senderName);
  const content = renderLetter({
    subject: mail.ended.subject(request.subject),
    language: languageOf(request.language),
    preview: text,
    title: mail.ended.title,
    paragraphs: [text, ...(reason ? [mail.ended.reason(reason)] : [])],
    footer: [mail.footer(request.senderName)],
  });
  return { kind: 'account', template: 'signature_ended', to: signer.email, content };
}
