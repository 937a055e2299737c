import { misfit, toMinor } from '@tandem/contract';
import type { writableDeal } from '@tandem/partner-contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { DealRecord } from './deal-registration.ts';
import { keysOf } from './protected-keys.ts';

type Writable = Pick<DealRecord, keyof z.output<typeof writableDeal>>;
type Body = Partial<z.output<typeof writableDeal>>;

/** The fields of a new registration, in which absent ones are null. */
export function newDeal({
  company,
  contact,
  companyDomain = null,
  value = null,
  currency = null,
  expectedCloseAt = null,
  notes = null,
}: z.output<typeof writableDeal>): Writable {
  return { company, contact: contactOf(contact), companyDomain, value, currency, expectedCloseAt, notes };
}

/** The fields of a body as a registration has them. */
export function withPhone({ contact, ...fields }: Body) {
  return { ...fields, ...(contact && { contact: contactOf(contact) }) };
}

function contactOf({ phone = null, ...contact }: NonNullable<Body['contact']>): DealRecord['contact'] {
  return { ...contact, phone };
}

/**
 * The columns of the fields that a request can set.
 * @throws 422 for a value without a currency, or with more decimals than the currency has
 */
export function dealColumns(deal: Writable) {
  const { company, companyDomain, contact, value, currency, expectedCloseAt, notes } = deal;
  return {
    company,
    companyDomain,
    ...keysOf(deal),
    contactEmail: contact.email,
    contactEmailKey: contact.email.toLowerCase(),
    contactFirstName: contact.firstName,
    contactLastName: contact.lastName,
    contactPhone: contact.phone,
    valueMinor: value === null ? null : minorOf(value, currency),
    currency,
    expectedCloseAt,
    notes,
  };
}

function minorOf(value: number, currency: string | null): number {
  if (currency === null) throw failField('currency', 'Is required with a value');
  const problem = misfit(value, currency);
  if (problem) throw failField('value', problem);
  return toMinor(value, currency);
}
