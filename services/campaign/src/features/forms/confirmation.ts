import { submissionLimits } from '@tandem/campaign-contract';
import { type Message, renderLetter } from '@tandem/mail';
import { createLinkTokens, type LinkTokens, type Seal } from '@tandem/sealed';
import { fail } from '@tandem/service';

/** The submission that the link of a confirmation mail confirms. */
export interface Confirmed {
  tenantId: number;
  environment: 'live' | 'sandbox';
  submissionId: number;
}

export type ConfirmationTokens = LinkTokens<Confirmed>;

const dayMs = 86_400_000;

export const createConfirmationTokens = (seal: Seal): ConfirmationTokens =>
  createLinkTokens<Confirmed>(seal, 'confirmation of a form');

/**
 * Reads the token of a confirmation link.
 * @throws 404 if it is not valid, or not any more
 */
export function readConfirmation(tokens: ConfirmationTokens, token: string): Confirmed {
  const confirmed = tokens.read(token);
  if (!confirmed) throw fail('not_found');
  if (confirmed === 'expired') throw fail('link_expired');
  return confirmed;
}

const texts = {
  en: {
    subject: (form: string) => `Please confirm your e-mail address: ${form}`,
    title: 'Please confirm your e-mail address',
    paragraph: (form: string, company: string) =>
      `You, or somebody with your address, filled in the form “${form}”${company && ` of ${company}`}.`,
    button: 'Confirm',
    hint: 'Or open this address:',
    note: 'If this was not you, do nothing: without your confirmation nothing happens. The link is valid for 7 days.',
    footer: 'You receive this message because this address was entered in a form.',
  },
  de: {
    subject: (form: string) => `Bitte bestätigen Sie Ihre E-Mail-Adresse: ${form}`,
    title: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
    paragraph: (form: string, company: string) =>
      `Sie oder jemand mit Ihrer Adresse hat das Formular „${form}“${company && ` von ${company}`} ausgefüllt.`,
    button: 'Bestätigen',
    hint: 'Oder öffnen Sie diese Adresse:',
    note: 'Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ohne Ihre Bestätigung geschieht nichts. Der Link gilt 7 Tage.',
    footer: 'Sie erhalten diese Nachricht, weil diese Adresse in ein Formular eingegeben wurde.',
  },
};

interface Mailed {
  confirmed: Confirmed;
  formName: string;
  /** The company that the form belongs to; empty while the settings of the tenant are not known. */
  tenantName: string;
  to: string;
  locale: string;
}

/** The mail with the link by which a person confirms the address. It contains no text of the visitor. */
export function confirmationMail(
  { tokens, publicUrl }: { tokens: ConfirmationTokens; publicUrl: string },
  { confirmed, formName, tenantName, to, locale }: Mailed,
): Message {
  const language = locale.toLowerCase().startsWith('de') ? 'de' : 'en';
  const words = texts[language];
  const token = tokens.issue(confirmed, new Date(Date.now() + submissionLimits.confirmDays * dayMs));
  const content = renderLetter({
    subject: words.subject(formName),
    language,
    preview: words.paragraph(formName, tenantName),
    title: words.title,
    paragraphs: [words.paragraph(formName, tenantName)],
    button: { label: words.button, url: `${publicUrl}/forms/confirm/${token}`, hint: words.hint },
    notes: [words.note],
    footer: [words.footer],
  });
  return { kind: 'account', template: 'form_confirmation', to, content };
}
