import type { Environment } from '@tandem/caller';
import { createLinkTokens } from '@tandem/sealed';
import { fail } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import type { Channel } from '../suppressions/address.ts';

/** The message to a person whose links a token opens. */
export interface ContactLink {
  tenantId: number;
  environment: Environment;
  leadId: number;
  /** The number of the message; null for a link outside of one. */
  messageId: number | null;
  channel: Channel;
  /** The address to which the message went. */
  address: string;
  topicId: number | null;
}

type Sealing = Pick<Tools, 'seal'>;

// People keep messages, and unsubscribing must work for as long as they do.
const lifetimeMs = 2 * 365 * 86_400_000;

const linkTokens = ({ seal }: Sealing) => createLinkTokens<ContactLink>(seal, 'contact');

/** The token of the links of one message: the same for all of them. */
export function contactToken(tools: Sealing, link: ContactLink, now = Date.now()): string {
  return linkTokens(tools).issue(link, new Date(now + lifetimeMs));
}

/**
 * The content of a token.
 * @throws 404 when it was changed, 410 when it has expired
 */
export function readContactToken(tools: Sealing, token: string): ContactLink {
  const link = linkTokens(tools).read(token);
  if (link === 'expired') throw fail('link_expired');
  if (!link) throw fail('not_found');
  return link;
}

/** The one-click target, for the header List-Unsubscribe beside `List-Unsubscribe-Post: List-Unsubscribe=One-Click`. */
export function oneClickUrl({ publicUrl }: Pick<Tools, 'publicUrl'>, token: string): string {
  return `${publicUrl}/v1/public/unsubscribe/${token}`;
}

/** The page on which a person unsubscribes, for the text of a message. */
export function unsubscribeUrl({ publicUrl }: Pick<Tools, 'publicUrl'>, token: string): string {
  return `${publicUrl}/unsubscribe/${token}`;
}

/** The page on which a person chooses which messages to get. */
export function preferencesUrl({ publicUrl }: Pick<Tools, 'publicUrl'>, token: string): string {
  return `${publicUrl}/preferences/${token}`;
}
