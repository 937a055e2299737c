import type { Seal } from '@tandem/sealed';
import type { PayoutAccount as AccountRow } from '../../generated/client.ts';

/** The bank account of a partner, as it is sealed. */
export interface BankAccount {
  holder: string;
  /** Without spaces, in upper case. */
  iban: string;
  bic: string | null;
}

const contextOf = (sealRef: string) => `payout_account ${sealRef}`;

/** The sealed column of `payout_account`, for the change of the encryption key. */
export const sealedAccounts = {
  table: 'payout_account',
  column: 'account',
  context: 'payout_account',
  ref: 'seal_ref',
} as const;

/** Decrypts a stored account. */
export function openAccount(seal: Seal, { account, sealRef }: Pick<AccountRow, 'account' | 'sealRef'>): BankAccount {
  return JSON.parse(seal.open(account, contextOf(sealRef))) as BankAccount;
}

/** The columns of an account: sealed, masked, and with the digest that finds the same account at other partners. */
export function columnsOf(seal: Seal, sealRef: string, account: BankAccount) {
  const { iban } = account;
  return {
    sealRef,
    account: seal.seal(JSON.stringify(account), contextOf(sealRef)),
    masked: `${iban.slice(0, 2)}••${iban.slice(-4)}`,
    fingerprint: seal.digest(`payout account ${iban}`),
  };
}
