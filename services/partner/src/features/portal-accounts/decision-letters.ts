import type { Letter } from '@tandem/mail';
import { letterFor, type Sender } from './letters.ts';

/** How an approved partner gets into the portal. */
interface Access {
  /** The portal; undefined if its address is not known. */
  home: string | undefined;
  hasPassword: boolean;
}

export function approvedLetter(sender: Sender, { home, hasPassword }: Access): Letter {
  const { tenant } = sender;
  return letterFor(sender, hasPassword ? home : undefined, {
    en: {
      subject: `${tenant} approved your application`,
      preview: 'Welcome to the partner program.',
      paragraphs: [
        `${tenant} approved your application for the partner program.`,
        hasPassword
          ? 'Sign in to the partner portal with your e-mail address and your password. If you forgot the password, request a link to reset it there.'
          : `To use the partner portal, ask ${tenant} for an invitation.`,
      ],
      button: 'Open the partner portal',
    },
    de: {
      subject: `${tenant} hat Ihre Bewerbung angenommen`,
      preview: 'Willkommen im Partnerprogramm.',
      paragraphs: [
        `${tenant} hat Ihre Bewerbung für das Partnerprogramm angenommen.`,
        hasPassword
          ? 'Melden Sie sich im Partnerportal mit Ihrer E-Mail-Adresse und Ihrem Passwort an. Falls Sie das Passwort vergessen haben, fordern Sie dort einen Link an, um es zurückzusetzen.'
          : `Bitten Sie ${tenant} um eine Einladung, um das Partnerportal zu benutzen.`,
      ],
      button: 'Partnerportal öffnen',
    },
  });
}

/** Without the reason, which managers enter for themselves. */
export function rejectedLetter(sender: Sender, { canReapply }: { canReapply: boolean }): Letter {
  const { tenant } = sender;
  const again = canReapply
    ? { en: ' You can apply again.', de: ' Sie können sich erneut bewerben.' }
    : { en: '', de: '' };
  return letterFor(sender, undefined, {
    en: {
      subject: `Your application to ${tenant} was not approved`,
      preview: 'About your application.',
      paragraphs: [
        `${tenant} did not approve your application for the partner program.`,
        `If you have questions, ask ${tenant}.${again.en}`,
      ],
    },
    de: {
      subject: `Ihre Bewerbung bei ${tenant} wurde nicht angenommen`,
      preview: 'Zu Ihrer Bewerbung.',
      paragraphs: [
        `${tenant} hat Ihre Bewerbung für das Partnerprogramm nicht angenommen.`,
        `Wenden Sie sich bei Fragen an ${tenant}.${again.de}`,
      ],
    },
  });
}

export function reopenedLetter(sender: Sender): Letter {
  const { tenant } = sender;
  return letterFor(sender, undefined, {
    en: {
      subject: `Your application to ${tenant} was reopened`,
      preview: 'You will be told about the decision.',
      paragraphs: [
        `Your application for the partner program of ${tenant} was reopened. You get a message when it is decided.`,
      ],
    },
    de: {
      subject: `Ihre Bewerbung bei ${tenant} wird wieder geprüft`,
      preview: 'Sie erfahren, wie entschieden wird.',
      paragraphs: [
        `Ihre Bewerbung für das Partnerprogramm von ${tenant} wird wieder geprüft. Sie erhalten eine Nachricht, sobald entschieden ist.`,
      ],
    },
  });
}
