import type { Letter } from '@tandem/mail';
import { letterFor, localeFor, type Sender, timeFor } from '../portal-accounts/letters.ts';

/** A payment of a payout to a partner. */
export interface Payment {
  /** In major units of the currency. */
  amount: number;
  currency: string;
  periodEnd: Date;
}

export function paidLetter(sender: Sender, payment: Payment, home: string | undefined): Letter {
  const { tenant } = sender;
  const amount = amountFor(sender, payment);
  const end = timeFor(sender, payment.periodEnd);
  return letterFor(sender, home, {
    en: {
      subject: `${tenant} paid you ${amount}`,
      preview: `Your commissions until ${end}`,
      paragraphs: [
        `${tenant} paid ${amount} to your payout account, for commissions until ${end}.`,
        'The statements in the partner portal show the commissions.',
      ],
      button: 'Open the partner portal',
    },
    de: {
      subject: `${tenant} hat Ihnen ${amount} ausgezahlt`,
      preview: `Ihre Provisionen bis ${end}`,
      paragraphs: [
        `${tenant} hat ${amount} auf Ihr Auszahlungskonto gezahlt, für Provisionen bis ${end}.`,
        'Die Provisionen stehen in den Abrechnungen im Partnerportal.',
      ],
      button: 'Partnerportal öffnen',
    },
  });
}

export function noAccountLetter(sender: Sender, payment: Payment, home: string | undefined): Letter {
  const { tenant } = sender;
  const amount = amountFor(sender, payment);
  const end = timeFor(sender, payment.periodEnd);
  return letterFor(sender, home, {
    en: {
      subject: `${tenant} could not pay you: your payout account is missing`,
      preview: 'Enter your payout account in the partner portal.',
      paragraphs: [
        `${tenant} could not pay you ${amount} for commissions until ${end}, because you have no payout account.`,
        'Enter the account in the partner portal. The payment is made when it is tried again.',
      ],
      button: 'Open the partner portal',
    },
    de: {
      subject: `${tenant} konnte nicht auszahlen: Ihr Auszahlungskonto fehlt`,
      preview: 'Geben Sie Ihr Auszahlungskonto im Partnerportal an.',
      paragraphs: [
        `${tenant} konnte Ihnen ${amount} für Provisionen bis ${end} nicht auszahlen, weil Sie kein Auszahlungskonto haben.`,
        'Geben Sie das Konto im Partnerportal an. Sobald die Zahlung wiederholt wird, wird sie ausgeführt.',
      ],
      button: 'Partnerportal öffnen',
    },
  });
}

function amountFor(sender: Sender, { amount, currency }: Payment): string {
  return new Intl.NumberFormat(localeFor(sender), { style: 'currency', currency }).format(amount);
}
