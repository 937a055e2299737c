import type { Letter } from '@tandem/mail';
import type { Tools } from '../../handler.ts';
import { letterFor, type Reader, timeFor } from '../../letters.ts';
import { type Inside, readerOf, sendLetter } from '../account/account-mail.ts';

/**
 * A change of a user's second factor:
 * - `enabled`: a first one was enrolled
 * - `replaced`: another one was enrolled, which also renews the recovery codes
 * - `disabled`: the user turned it off
 * - `reset`: an administrator removed it
 */
export type TotpChange = 'enabled' | 'replaced' | 'disabled' | 'reset';

interface Words {
  subject: string;
  what: (reader: Reader, time: string) => string;
}

const english: Record<TotpChange, Words> = {
  enabled: {
    subject: 'Your second factor was turned on',
    what: ({ tenantName }, time) => `A second factor was set up for your account at ${tenantName} on ${time}.`,
  },
  replaced: {
    subject: 'Your second factor was replaced',
    what: ({ tenantName }, time) =>
      `Another second factor with new recovery codes was set up for your account at ${tenantName} on ${time}. The codes of the previous one no longer work.`,
  },
  disabled: {
    subject: 'Your second factor was turned off',
    what: ({ tenantName }, time) =>
      `The second factor of your account at ${tenantName} was turned off on ${time}. Signing in needs the password only.`,
  },
  reset: {
    subject: 'Your second factor was removed',
    what: ({ tenantName }, time) =>
      `An administrator of ${tenantName} removed the second factor of your account on ${time} and ended your sessions. Signing in needs the password only, until you set up a second factor again.`,
  },
};

const german: Record<TotpChange, Words> = {
  enabled: {
    subject: 'Ihr zweiter Faktor wurde eingerichtet',
    what: ({ tenantName }, time) => `Für Ihr Konto bei ${tenantName} wurde am ${time} ein zweiter Faktor eingerichtet.`,
  },
  replaced: {
    subject: 'Ihr zweiter Faktor wurde ersetzt',
    what: ({ tenantName }, time) =>
      `Für Ihr Konto bei ${tenantName} wurde am ${time} ein anderer zweiter Faktor mit neuen Wiederherstellungscodes eingerichtet. Die Codes des bisherigen gelten nicht mehr.`,
  },
  disabled: {
    subject: 'Ihr zweiter Faktor wurde ausgeschaltet',
    what: ({ tenantName }, time) =>
      `Der zweite Faktor Ihres Kontos bei ${tenantName} wurde am ${time} ausgeschaltet. Zur Anmeldung genügt das Passwort.`,
  },
  reset: {
    subject: 'Ihr zweiter Faktor wurde entfernt',
    what: ({ tenantName }, time) =>
      `Die Administration von ${tenantName} hat am ${time} den zweiten Faktor Ihres Kontos entfernt und Ihre Sitzungen beendet. Zur Anmeldung genügt das Passwort, bis Sie wieder einen zweiten Faktor einrichten.`,
  },
};

const warning = {
  en: 'If this was not you, change your password now and inform an administrator.',
  de: 'Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und informieren Sie die Administration.',
};

/** Notifies a user by mail that their second factor has changed: a thief of a session must not change it unnoticed. */
export async function mailTotpChange(
  inside: Inside,
  user: { id: number; email: string; firstName: string },
  change: TotpChange,
  tools: Pick<Tools, 'mail'>,
): Promise<void> {
  const letter = totpLetter(await readerOf(inside.tx, user), { change, at: new Date() });
  await sendLetter(inside, tools, { to: user.email, template: `totp_${change}`, letter });
}

function totpLetter(reader: Reader, { change, at }: { change: TotpChange; at: Date }): Letter {
  const time = timeFor(reader, at);
  const words = ({ subject, what }: Words, notice: string, preview: string) => ({
    subject,
    preview,
    paragraphs: [what(reader, time), notice],
  });
  return letterFor(reader, {
    en: words(english[change], warning.en, `Changed on ${time}`),
    de: words(german[change], warning.de, `Geändert am ${time}`),
  });
}
