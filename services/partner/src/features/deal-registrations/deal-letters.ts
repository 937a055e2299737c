import { type Letter, withoutLinks } from '@tandem/mail';
import { letterFor, type Sender, timeFor } from '../portal-accounts/letters.ts';
import type { DealRecord } from './deal-registration.ts';

export function dealApprovedLetter(sender: Sender, deal: DealRecord, protectedUntil: Date): Letter {
  const { tenant } = sender;
  const company = withoutLinks(deal.company);
  const until = timeFor(sender, protectedUntil);
  return letterFor(sender, undefined, {
    en: {
      subject: `Your deal registration was approved: ${company}`,
      preview: `Protected until ${until}`,
      paragraphs: [
        `${tenant} approved your registration of the deal with ${company}.`,
        `No other partner can register the company until ${until}.`,
      ],
    },
    de: {
      subject: `Ihre Registrierung wurde angenommen: ${company}`,
      preview: `Geschützt bis ${until}`,
      paragraphs: [
        `${tenant} hat Ihre Registrierung des Geschäfts mit ${company} angenommen.`,
        `Bis ${until} kann kein anderer Partner die Firma registrieren.`,
      ],
    },
  });
}

export function dealRejectedLetter(sender: Sender, deal: DealRecord, given: string): Letter {
  const { tenant } = sender;
  const company = withoutLinks(deal.company);
  const reason = withoutLinks(given);
  return letterFor(sender, undefined, {
    en: {
      subject: `Your deal registration was rejected: ${company}`,
      preview: reason,
      paragraphs: [`${tenant} rejected your registration of the deal with ${company}.`, `Reason: ${reason}`],
    },
    de: {
      subject: `Ihre Registrierung wurde abgelehnt: ${company}`,
      preview: reason,
      paragraphs: [`${tenant} hat Ihre Registrierung des Geschäfts mit ${company} abgelehnt.`, `Grund: ${reason}`],
    },
  });
}
