import { type ConnectorKey, connectorKeys, type OauthProvider } from '@tandem/integrations-contract';
import type { Connector } from './connector.ts';
import { gmail } from './gmail.ts';
import { googleCalendar } from './google-calendar.ts';
import { hubspot } from './hubspot.ts';
import { imap } from './imap.ts';
import { microsoftCalendar } from './microsoft-calendar.ts';
import { pipedrive } from './pipedrive.ts';
import { rest } from './rest.ts';
import { slack } from './slack.ts';
import { stripe } from './stripe.ts';

const byKey: Record<ConnectorKey, Connector> = {
  slack,
  google_calendar: googleCalendar,
  gmail,
  microsoft_calendar: microsoftCalendar,
  hubspot,
  pipedrive,
  stripe,
  imap,
  rest,
};

/** Every connector, in the order in which they are listed. */
export const allConnectors: readonly Connector[] = connectorKeys.map((key) => byKey[key]);

/** The connector of a stored key. */
export function connectorOf(key: string): Connector {
  return byKey[key as ConnectorKey];
}

/** The connectors whose connections a provider authorizes. */
export function connectorsOf(provider: OauthProvider): readonly Connector[] {
  return allConnectors.filter((connector) => connector.provider === provider);
}
