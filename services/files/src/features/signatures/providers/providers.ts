import type { FilesSettings } from '../../../settings.ts';
import { documenso } from './documenso.ts';
import { docuseal } from './docuseal.ts';
import { type ProviderHttp, providerHttp } from './http.ts';
import type { SignatureProviderClient } from './provider.ts';

/** The configured providers. */
export interface Providers {
  documenso?: SignatureProviderClient;
  docuseal?: SignatureProviderClient;
}

type Settings = Pick<
  FilesSettings,
  | 'DOCUMENSO_URL'
  | 'DOCUMENSO_API_KEY'
  | 'DOCUMENSO_WEBHOOK_SECRET'
  | 'DOCUSEAL_URL'
  | 'DOCUSEAL_API_KEY'
  | 'DOCUSEAL_WEBHOOK_SECRET'
>;

/** Creates the clients of the providers that the settings name. */
export function createProviders(settings: Settings): { providers: Providers; close(): Promise<void> } {
  const opened: ProviderHttp[] = [];
  const open = (...options: Parameters<typeof providerHttp>) => {
    const http = providerHttp(...options);
    opened.push(http);
    return http;
  };
  const providers: Providers = {};
  const { DOCUMENSO_URL, DOCUMENSO_API_KEY, DOCUMENSO_WEBHOOK_SECRET } = settings;
  if (DOCUMENSO_URL && DOCUMENSO_API_KEY && DOCUMENSO_WEBHOOK_SECRET)
    providers.documenso = documenso(
      open('Documenso', DOCUMENSO_URL, { authorization: `Bearer ${DOCUMENSO_API_KEY}` }),
      DOCUMENSO_WEBHOOK_SECRET,
    );
  const { DOCUSEAL_URL, DOCUSEAL_API_KEY, DOCUSEAL_WEBHOOK_SECRET } = settings;
  if (DOCUSEAL_URL && DOCUSEAL_API_KEY && DOCUSEAL_WEBHOOK_SECRET)
    providers.docuseal = docuseal(
      open('DocuSeal', DOCUSEAL_URL, { 'x-auth-token': DOCUSEAL_API_KEY }),
      DOCUSEAL_WEBHOOK_SECRET,
    );
  return {
    providers,
    async close() {
      await Promise.all(opened.map((http) => http.close()));
    },
  };
}
