import type { Attempt } from '@tandem/mail';
import type { Tx } from '../../../handler.ts';
import type { Channel as ChannelName } from '../../suppressions/address.ts';
import type { TemplateContent } from '../../templates/render.ts';
import type { LeadRecord } from '../facts.ts';
import type { HeldBack, MessageContent } from './contents.ts';
import type { MessageLinks } from './message-links.ts';
import type { MessageRow } from './message-rows.ts';
import type { CampaignSender } from './sender.ts';
import type { Locale, SendTools, ToSend } from './to-send.ts';

/** A message that is rendered for one lead. */
export interface Rendered {
  subject: string | null;
  text: string;
  html: string | null;
  /** The input of the step. */
  input: { recipient: string; [field: string]: unknown };
  /** Required placeholders without a value. */
  missing: string[];
  /** Why the message cannot be sent although it was rendered. */
  skipReason?: string | undefined;
}

/** The values of the tenant for texts, and the addresses that the texts contain. */
export interface Context {
  locale: Locale;
  links: MessageLinks;
}

/** How messages of one kind are addressed, rendered and delivered. The checks before that are the same for all. */
export interface Channel {
  name: ChannelName;
  /** Whether messages can be sent; otherwise they are skipped with `skipReason`. */
  isConfigured(tools: SendTools): boolean;
  notConfigured: string;
  /** The reason of a message that the server of the channel refused for now. */
  postponedBy: string;
  addressOf(lead: LeadRecord): string | null;
  /** The contents of the nodes, by execution; none for a template that was deleted. */
  readContents(
    tools: SendTools,
    tx: Tx,
    all: readonly ToSend[],
  ): Promise<Map<number, MessageContent | HeldBack | undefined>>;
  /** Counts the messages that may go now against the limits of the channel. */
  pace(tools: SendTools, tx: Tx, wanted: readonly Outgoing[]): Promise<Paced>;
  render(tools: SendTools, one: ToSend, source: TemplateContent, context: Context): Promise<Rendered>;
  deliver(tools: SendTools, message: Leaving): Promise<Attempt>;
}

export interface Paced {
  counted: readonly Outgoing[];
  /** Those that may not go yet. */
  later: readonly { one: Outgoing; until: Date; reason: string }[];
}

/** A rendered message that was claimed. */
export interface Leaving {
  one: Outgoing;
  row: MessageRow;
  rendered: Rendered;
  locale: Locale;
  links: MessageLinks;
}

/** A message node that an execution has reached. */
export interface Outgoing extends ToSend {
  channel: Channel;
  /** The sender of the campaign; the platform without one. */
  sender?: CampaignSender | undefined;
  /** Whether the message was tried before: it was counted then, for its sender and its tenant. */
  isRetry?: boolean;
}
