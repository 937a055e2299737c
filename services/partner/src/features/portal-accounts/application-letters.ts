import type { Letter } from '@tandem/mail';
import { common, type Link, letterFor, type Sender, timeFor } from './letters.ts';

/** The parts that differ between the letters with a link to confirm an application. */
interface Words {
  preview: string;
  paragraphs: string[];
  button?: string;
}

/** A letter with a link to confirm an application. */
function linkLetter(sender: Sender, { url, expiresAt }: Link, { en, de }: { en: Words; de: Words }): Letter {
  const { tenant } = sender;
  const until = timeFor(sender, expiresAt);
  return letterFor(sender, url, {
    en: {
      subject: `Your application to ${tenant}`,
      button: 'Confirm the address',
      ...en,
      notes: [`The link works once, until ${until}.`, common.en.ignore],
    },
    de: {
      subject: `Ihre Bewerbung bei ${tenant}`,
      button: 'Adresse bestätigen',
      ...de,
      notes: [`Der Link gilt einmal, bis ${until}.`, common.de.ignore],
    },
  });
}

/** For a new application, and one that is not decided yet. */
export function applicationLetter(sender: Sender, link: Link): Letter {
  const { tenant } = sender;
  return linkLetter(sender, link, {
    en: {
      preview: 'Confirm your e-mail address.',
      paragraphs: [
        `${tenant} received your application for the partner program. You can sign in to the portal once you are approved.`,
        'Confirm that this is your e-mail address.',
      ],
    },
    de: {
      preview: 'Bestätigen Sie Ihre E-Mail-Adresse.',
      paragraphs: [
        `${tenant} hat Ihre Bewerbung für das Partnerprogramm erhalten. Sobald sie angenommen ist, können Sie sich im Portal anmelden.`,
        'Bestätigen Sie, dass dies Ihre E-Mail-Adresse ist.',
      ],
    },
  });
}

/** For an application that the tenant approved at once. */
export function autoApprovedLetter(sender: Sender, link: Link): Letter {
  const { tenant } = sender;
  return linkLetter(sender, link, {
    en: {
      preview: 'Welcome to the partner program.',
      paragraphs: [
        `${tenant} approved your application for the partner program. Sign in to the partner portal with your e-mail address and your password.`,
        'Confirm that this is your e-mail address.',
      ],
    },
    de: {
      preview: 'Willkommen im Partnerprogramm.',
      paragraphs: [
        `${tenant} hat Ihre Bewerbung für das Partnerprogramm angenommen. Melden Sie sich im Partnerportal mit Ihrer E-Mail-Adresse und Ihrem Passwort an.`,
        'Bestätigen Sie, dass dies Ihre E-Mail-Adresse ist.',
      ],
    },
  });
}

/** For another application with the address of one that is not decided yet. */
export function repeatedLetter(sender: Sender, link: Link): Letter {
  const { tenant } = sender;
  return linkLetter(sender, link, {
    en: {
      preview: 'Confirm your e-mail address.',
      paragraphs: [
        `${tenant} received more than one application for the partner program with your address. If you are approved, you get a link to choose a password; those of the applications do not work.`,
        'If you applied, confirm that this is your e-mail address.',
      ],
    },
    de: {
      preview: 'Bestätigen Sie Ihre E-Mail-Adresse.',
      paragraphs: [
        `${tenant} hat mehr als eine Bewerbung für das Partnerprogramm mit Ihrer Adresse erhalten. Wenn Sie angenommen werden, erhalten Sie einen Link, um ein Passwort zu wählen; die Passwörter der Bewerbungen gelten nicht.`,
        'Wenn Sie sich beworben haben, bestätigen Sie, dass dies Ihre E-Mail-Adresse ist.',
      ],
    },
  });
}

/** For a rejected partner who applies again. */
export function againLetter(sender: Sender, link: Link): Letter {
  const { tenant } = sender;
  return linkLetter(sender, link, {
    en: {
      preview: 'Confirm that you apply again.',
      paragraphs: [
        `Somebody applied for the partner program of ${tenant} with your address. An earlier application of yours was not approved.`,
        `If this was you, confirm it: ${tenant} then decides again, with the data of your earlier application.`,
      ],
      button: 'Apply again',
    },
    de: {
      preview: 'Bestätigen Sie, dass Sie sich erneut bewerben.',
      paragraphs: [
        `Jemand hat sich mit Ihrer Adresse für das Partnerprogramm von ${tenant} beworben. Ihre frühere Bewerbung wurde nicht angenommen.`,
        `Wenn Sie das waren, bestätigen Sie es: ${tenant} entscheidet dann erneut, mit den Angaben Ihrer früheren Bewerbung.`,
      ],
      button: 'Erneut bewerben',
    },
  });
}

/** For an address that is in use: only its owner learns that. */
export function addressInUseLetter(sender: Sender, { canSignIn }: { canSignIn: boolean }): Letter {
  const { tenant } = sender;
  return letterFor(sender, undefined, {
    en: {
      subject: `Your application to ${tenant}`,
      preview: 'This address is registered already.',
      paragraphs: [
        `Somebody applied for the partner program of ${tenant} with your address, which is registered already. Nothing was changed.`,
        canSignIn
          ? 'If this was you, sign in to the portal, or reset your password there.'
          : `If this was you, contact ${tenant}.`,
      ],
      notes: [common.en.ignore],
    },
    de: {
      subject: `Ihre Bewerbung bei ${tenant}`,
      preview: 'Diese Adresse ist bereits registriert.',
      paragraphs: [
        `Jemand hat sich mit Ihrer Adresse, die bereits registriert ist, für das Partnerprogramm von ${tenant} beworben. Es wurde nichts geändert.`,
        canSignIn
          ? 'Wenn Sie das waren, melden Sie sich im Portal an, oder setzen Sie dort Ihr Passwort zurück.'
          : `Wenn Sie das waren, wenden Sie sich an ${tenant}.`,
      ],
      notes: [common.de.ignore],
    },
  });
}
