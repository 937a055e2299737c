import type { OauthProvider } from '@tandem/integrations-contract';
import { google } from './google.ts';
import { hubspot } from './hubspot.ts';
import { microsoft } from './microsoft.ts';
import { pipedrive } from './pipedrive.ts';
import type { Provider } from './provider.ts';
import { slack } from './slack.ts';

/** Every OAuth 2.0 provider, by its key. */
export const providers: Record<OauthProvider, Provider> = { slack, google, microsoft, hubspot, pipedrive };
