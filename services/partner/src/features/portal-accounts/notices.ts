import type { Letter } from '@tandem/mail';
import { letterFor, type Sender, timeFor } from './letters.ts';

/** Tells owners that the bank account was changed, so that they notice a change by somebody else. */
export function payoutAccountLetter(sender: Sender, at: Date): Letter {
  const { tenant } = sender;
  const time = timeFor(sender, at);
  return letterFor(sender, undefined, {
    en: {
      subject: 'Your payout account was changed',
      preview: `Changed on ${time}`,
      paragraphs: [
        `The bank account to which ${tenant} pays your commissions was changed on ${time}.`,
        `If this was nobody of you, change it back in the partner portal, change your passwords, and inform ${tenant}.`,
      ],
    },
    de: {
      subject: 'Ihr Auszahlungskonto wurde geändert',
      preview: `Geändert am ${time}`,
      paragraphs: [
        `Das Bankkonto, auf das ${tenant} Ihre Provisionen auszahlt, wurde am ${time} geändert.`,
        `Wenn das niemand von Ihnen war, ändern Sie es im Partnerportal zurück, ändern Sie Ihre Passwörter, und informieren Sie ${tenant}.`,
      ],
    },
  });
}

/** Tells owners that the partner no longer meets the requirements of its tier. */
export function tierGraceLetter(sender: Sender, until: Date): Letter {
  const { tenant } = sender;
  const time = timeFor(sender, until);
  return letterFor(sender, undefined, {
    en: {
      subject: `Your tier in the partner program of ${tenant}`,
      preview: `You keep your tier until ${time}.`,
      paragraphs: [
        `You currently do not meet all requirements of your tier in the partner program of ${tenant}.`,
        `You keep the tier until ${time}, and beyond if you meet them again until then.`,
      ],
    },
    de: {
      subject: `Ihre Stufe im Partnerprogramm von ${tenant}`,
      preview: `Sie behalten Ihre Stufe bis ${time}.`,
      paragraphs: [
        `Sie erfüllen zurzeit nicht alle Voraussetzungen Ihrer Stufe im Partnerprogramm von ${tenant}.`,
        `Sie behalten die Stufe bis ${time}, und darüber hinaus, wenn Sie sie bis dahin wieder erfüllen.`,
      ],
    },
  });
}
