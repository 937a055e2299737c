import { fromMinor } from '@tandem/contract';
import { outgoingGuard } from '@tandem/process';
import type { BankAccount } from './features/payout-accounts/account.ts';

const timeoutMs = 15_000;
const errorMax = 500;
const responseMax = 64 * 1024;

export interface Payment {
  /** The provider makes one payment for a key. */
  key: string;
  amountMinor: number;
  currency: string;
  account: BankAccount;
}

/** The definite outcome of a payment; anything else is an error, and the payment is repeated. */
export type PaymentOutcome = { outcome: 'accepted'; reference: string } | { outcome: 'refused'; error: string };

export interface PaymentProvider {
  /** @throws when the provider could not be reached, or has a temporary problem */
  pay(payment: Payment): Promise<PaymentOutcome>;
}

/**
 * The payment provider of the platform: `POST <url>/payments` with a JSON body and the headers `Authorization: Bearer` and
 * `Idempotency-Key`. It answers 2xx with the `id` of the payment, or 400, 404 or 422 for a payment that it will never make.
 */
export function createPaymentProvider(url: string, key: string): PaymentProvider {
  const target = `${url.replace(/\/$/, '')}/payments`;
  return {
    async pay({ key: idempotencyKey, amountMinor, currency, account }) {
      outgoingGuard.assertMayCall('The payment provider');
      const response = await fetch(target, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify({
          reference: idempotencyKey,
          amount: fromMinor(amountMinor, currency),
          currency,
          account,
        }),
      });
      const body = parsed((await response.text()).slice(0, responseMax));
      if (response.ok) return { outcome: 'accepted', reference: String(body.id ?? '').slice(0, 200) };
      const error = `${response.status} ${String(body.message ?? '')}`.trim().slice(0, errorMax);
      // 401, 403, 409 and 429 end when an operator or time corrects them.
      if ([400, 404, 422].includes(response.status)) return { outcome: 'refused', error };
      throw new Error(`the payment provider answered ${error}`);
    },
  };
}

function parsed(text: string): { id?: unknown; message?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
