import { fromMinor } from '@tandem/contract';
import { type Cell, toCsv } from '@tandem/service';
import sepa from 'sepa';
import type { BankAccount } from '../payout-accounts/account.ts';

/** A payment as the files for the bank have it. */
export interface BankPayment {
  /** The public id of the payment, which the bank returns with the result. */
  reference: string;
  /** The public id of the partner. */
  partner: string;
  amountMinor: number;
  currency: string;
  account: BankAccount;
}

/** The account that payments come from. */
export interface Payer {
  name: string;
  iban: string;
}

/** The countries of SEPA, by which an IBAN begins (EPC409-09, list of SEPA scheme countries). */
export const sepaCountries =
  `AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT
  RO RS SE SI SK SM VA`.split(/\s+/);

const columns = ['paymentId', 'partnerId', 'holder', 'iban', 'bic', 'amount', 'currency'];

/** The payments as CSV. */
export function toPaymentCsv(payments: readonly BankPayment[]): string {
  const lines = payments.map(({ reference, partner, account, amountMinor, currency }): Cell[] => [
    reference,
    partner,
    account.holder,
    account.iban,
    account.bic,
    fromMinor(amountMinor, currency),
    currency,
  ]);
  return toCsv([columns, ...lines]);
}

/** The header of a file of payments: its id, the account that pays, and the time. */
export interface PaymentFile {
  id: string;
  payer: Payer;
  at: Date;
}

/**
 * The payments as an ISO 20022 customer credit transfer, pain.001.001.09, in EUR, to accounts within
 * SEPA. IBANs are enough there, so the file has no BICs.
 * @param options.id identifies the file; the same payments under the same id are not made twice
 */
export function toPain001(payments: readonly BankPayment[], { id, payer, at }: PaymentFile): string {
  const file = new sepa.Document('pain.001.001.09');
  file.grpHdr.id = id;
  file.grpHdr.created = at;
  file.grpHdr.initiatorName = bankText(payer.name);
  const batch = file.createPaymentInfo();
  batch.id = id;
  batch.requestedExecutionDate = at;
  batch.debtorName = bankText(payer.name);
  batch.debtorIBAN = payer.iban;
  for (const { reference, amountMinor, currency, account } of payments) {
    const transfer = batch.createTransaction();
    transfer.id = reference;
    transfer.end2endId = reference;
    transfer.amount = fromMinor(amountMinor, currency);
    transfer.currency = currency;
    transfer.creditorName = bankText(account.holder);
    transfer.creditorIBAN = account.iban;
    transfer.remittanceInfo = `Commissions ${reference}`;
    batch.addTransaction(transfer);
    // The library puts the id of the batch before it, and both together exceed the 35 characters of the schema.
    transfer.id = reference;
  }
  file.addPaymentInfo(batch);
  batch.id = id;
  file.normalize();
  return file.toString();
}

const nameMax = 70;

/**
 * A name in the characters that every bank of SEPA accepts: Latin letters, digits and / - ? : ( ) . , ' +
 * (EPC217-08, SEPA Conversion Table).
 */
function bankText(text: string): string {
  const latin = text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
  return latin.replace(/[^A-Za-z0-9/\-?:().,'+ ]/g, '.').slice(0, nameMax);
}
