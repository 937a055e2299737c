import { contactToken, oneClickUrl, preferencesUrl, unsubscribeUrl } from '../../preferences/contact-links.ts';
import type { Channel } from './channel.ts';
import type { MessageRow } from './message-rows.ts';
import type { SendTools, ToSend } from './to-send.ts';

/** The addresses that a message contains. */
export interface MessageLinks {
  pixelUrl: string | null;
  tracked(url: string): string;
  unsubscribeUrl: string;
  preferencesUrl: string;
  oneClickUrl: string;
}

export function linksOf(tools: SendTools, channel: Channel, { due, facts }: ToSend, row: MessageRow): MessageLinks {
  const { tenantId, environment, leadId } = due;
  const key = { tenantId, environment, messageId: row.id };
  const address = channel.addressOf(facts.lead) ?? '';
  const contact = { ...key, leadId, channel: channel.name, address, topicId: due.campaignTopicId };
  return {
    pixelUrl: tools.tracking.pixelUrl(key),
    tracked: (url) => tools.tracking.clickUrl(key, url),
    ...contactUrls(tools, contactToken(tools, contact)),
  };
}

/** Links of a message that is not sent: they open nothing. */
export function previewLinks(tools: Pick<SendTools, 'publicUrl'>): MessageLinks {
  return { pixelUrl: null, tracked: (url) => url, ...contactUrls(tools, 'preview') };
}

function contactUrls(tools: Pick<SendTools, 'publicUrl'>, token: string) {
  return {
    unsubscribeUrl: unsubscribeUrl(tools, token),
    preferencesUrl: preferencesUrl(tools, token),
    oneClickUrl: oneClickUrl(tools, token),
  };
}
