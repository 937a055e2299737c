import type { KnownSettings } from '@tandem/identity-contract';
import { type Letter, withoutLinks } from '@tandem/mail';

/** The texts of a letter in one language. */
interface Words {
  subject: string;
  preview: string;
  paragraphs: string[];
  button?: string;
  notes?: string[];
}

export interface Link {
  url: string;
  expiresAt: Date;
}

/** Who sends a letter, with the language and time zone of the tenant. */
export interface Sender {
  tenant: string;
  locale: string;
  timezone: string;
}

export const common = {
  en: {
    hello: 'Hello,',
    hint: 'If the button does not work, open this address:',
    footer: (tenant: string) => `Sent by Tandem for ${tenant}.`,
    reason: 'You receive this message because this address was entered for a partner portal.',
    ignore: 'If you did not ask for this, you can ignore this message.',
  },
  de: {
    hello: 'Guten Tag,',
    hint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
    footer: (tenant: string) => `Von Tandem für ${tenant} verschickt.`,
    reason: 'Sie erhalten diese Nachricht, weil diese Adresse für ein Partnerportal angegeben wurde.',
    ignore: 'Wenn Sie das nicht angefordert haben, können Sie diese Nachricht ignorieren.',
  },
};

/** The sender of letters of a tenant; its name and language as far as they are known. */
export function senderOf(settings: KnownSettings): Sender {
  return {
    tenant: withoutLinks(settings?.name ?? 'Tandem'),
    locale: settings?.locale ?? 'en',
    timezone: settings?.timezone ?? 'UTC',
  };
}

export function invitationLetter(sender: Sender, link: Link): Letter {
  const { tenant } = sender;
  const until = timeFor(sender, link.expiresAt);
  return letterFor(sender, link.url, {
    en: {
      subject: `${tenant} invites you to its partner portal`,
      preview: 'Choose a password and start.',
      paragraphs: [`${tenant} invites you to its partner portal. Choose a password to accept.`],
      button: 'Accept the invitation',
      notes: [`The link works once, until ${until}.`, 'If you do not know the sender, you can ignore this message.'],
    },
    de: {
      subject: `${tenant} lädt Sie in das Partnerportal ein`,
      preview: 'Wählen Sie ein Passwort, und es geht los.',
      paragraphs: [`${tenant} lädt Sie in das Partnerportal ein. Wählen Sie ein Passwort, um anzunehmen.`],
      button: 'Einladung annehmen',
      notes: [
        `Der Link gilt einmal, bis ${until}.`,
        'Wenn Sie den Absender nicht kennen, können Sie diese Nachricht ignorieren.',
      ],
    },
  });
}

export function magicLinkLetter(sender: Sender, link: Link): Letter {
  const { tenant } = sender;
  const until = timeFor(sender, link.expiresAt);
  return letterFor(sender, link.url, {
    en: {
      subject: `Sign in to the partner portal of ${tenant}`,
      preview: 'The link works once, for 15 minutes.',
      paragraphs: [`Sign in to the partner portal of ${tenant} without a password.`],
      button: 'Sign in',
      notes: [`The link works once, until ${until}.`, common.en.ignore],
    },
    de: {
      subject: `Anmeldung im Partnerportal von ${tenant}`,
      preview: 'Der Link gilt einmal und 15 Minuten lang.',
      paragraphs: [`Melden Sie sich ohne Passwort im Partnerportal von ${tenant} an.`],
      button: 'Anmelden',
      notes: [`Der Link gilt einmal, bis ${until}.`, common.de.ignore],
    },
  });
}

export function resetLetter(sender: Sender, link: Link): Letter {
  const { tenant } = sender;
  const until = timeFor(sender, link.expiresAt);
  return letterFor(sender, link.url, {
    en: {
      subject: `Reset your password for the partner portal of ${tenant}`,
      preview: 'The link works once, for 15 minutes.',
      paragraphs: [`Choose a new password for the partner portal of ${tenant}.`],
      button: 'Choose a new password',
      notes: [`The link works once, until ${until}.`, common.en.ignore],
    },
    de: {
      subject: `Passwort für das Partnerportal von ${tenant} zurücksetzen`,
      preview: 'Der Link gilt einmal und 15 Minuten lang.',
      paragraphs: [`Wählen Sie ein neues Passwort für das Partnerportal von ${tenant}.`],
      button: 'Neues Passwort wählen',
      notes: [`Der Link gilt einmal, bis ${until}.`, common.de.ignore],
    },
  });
}

export function passwordChangedLetter(sender: Sender, at: Date): Letter {
  const { tenant } = sender;
  const time = timeFor(sender, at);
  return letterFor(sender, undefined, {
    en: {
      subject: 'Your password was changed',
      preview: `Changed on ${time}`,
      paragraphs: [
        `Your password for the partner portal of ${tenant} was changed on ${time}.`,
        `If this was not you, reset your password now and inform ${tenant}.`,
      ],
    },
    de: {
      subject: 'Ihr Passwort wurde geändert',
      preview: `Geändert am ${time}`,
      paragraphs: [
        `Ihr Passwort für das Partnerportal von ${tenant} wurde am ${time} geändert.`,
        `Wenn Sie das nicht waren, setzen Sie Ihr Passwort jetzt zurück und informieren Sie ${tenant}.`,
      ],
    },
  });
}

type Language = 'en' | 'de';

function languageOf({ locale }: Sender): Language {
  return /^de\b/i.test(locale) ? 'de' : 'en';
}

/** The locale for dates and amounts of a letter: that of the tenant where the letter is in its language. */
export function localeFor(sender: Sender): string {
  const language = languageOf(sender);
  return sender.locale.toLowerCase().startsWith(language) ? sender.locale : language;
}

/** A time in the language and time zone of the tenant. */
export function timeFor(sender: Sender, at: Date): string {
  return new Intl.DateTimeFormat(localeFor(sender), {
    timeZone: sender.timezone,
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(at);
}

/** The letter in the language of the tenant, English by default. */
export function letterFor(sender: Sender, url: string | undefined, languages: Record<Language, Words>): Letter {
  const language = languageOf(sender);
  const { subject, preview, paragraphs, button, notes = [] } = languages[language];
  const { hello, hint, footer, reason } = common[language];
  return {
    language,
    subject,
    title: subject,
    preview,
    paragraphs: [hello, ...paragraphs],
    ...(button !== undefined && url !== undefined && { button: { label: button, url, hint } }),
    notes,
    footer: [footer(sender.tenant), reason],
  };
}
