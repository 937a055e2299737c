import { domainToASCII } from 'node:url';
import { email, phone } from '@tandem/contract';
import type { Seal } from '@tandem/sealed';

export type Channel = 'email' | 'sms';

const emailSchema = email();
const phoneSchema = phone();
const domainForm = /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/**
 * The form in which addresses are compared and stored: e-mail addresses and `@domain` in lower case, phone numbers without
 * separators. An object with the error if the value is not valid for the channel.
 */
export function normalizedValue(channel: Channel, value: string): string | { error: string } {
  const trimmed = value.trim();
  if (channel === 'sms') {
    const parsed = phoneSchema.safeParse(trimmed);
    if (parsed.success) return parsed.data;
    return { error: 'Must be a phone number with country code, such as +491701234567' };
  }
  if (trimmed.startsWith('@')) {
    const domain = domainToASCII(trimmed.slice(1).toLowerCase());
    return domainForm.test(domain) ? `@${domain}` : { error: 'Must be a domain after the @, such as @example.com' };
  }
  const lower = trimmed.toLowerCase();
  if (emailSchema.safeParse(lower).success) return lower;
  return { error: 'Must be a valid e-mail address, or a domain such as @example.com' };
}

/** The values that suppress an address: itself, and for e-mail its domain. */
function suppressingValues(channel: Channel, address: string): string[] {
  const value = normalizedValue(channel, address);
  if (typeof value !== 'string') return [];
  const at = value.lastIndexOf('@');
  return channel === 'email' && at > 0 ? [value, value.slice(at)] : [value];
}

/** The digest of a value under the current key. */
export function digestOf({ seal }: { seal: Seal }, channel: Channel, value: string): string {
  return seal.digest(digestText(channel, value));
}

/** The digests of a value under every key, for records that were written under an earlier one. */
export function digestsOf({ seal }: { seal: Seal }, channel: Channel, value: string): readonly string[] {
  return seal.digests(digestText(channel, value));
}

/** The digests of all values that suppress an address. */
export function suppressingDigests(tools: { seal: Seal }, channel: Channel, address: string): string[] {
  return suppressingValues(channel, address).flatMap((value) => digestsOf(tools, channel, value));
}

function digestText(channel: Channel, value: string): string {
  return `address ${channel} ${value}`;
}
