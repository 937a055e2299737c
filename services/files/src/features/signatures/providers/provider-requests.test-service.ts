import { files } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../../files.test-service.ts';
import { type Api, ada, aPdf, getRequest, uploadPdf, zofia } from '../signatures.test-service.ts';
import { docusealSignature, type ProviderServer, secret, startProviders } from './providers.test-service.ts';

type ProviderName = 'documenso' | 'docuseal';
type Event = 'viewed' | 'signed' | 'declined' | 'completed' | 'cancelled';

const place = { page: 1, x: 0.1, y: 0.2, width: 0.3, height: 0.1, signerIndex: 0 };

/** The service with both providers, and what their tests do with them. */
export async function startWithProviders() {
  const providers = await startProviders();
  const service = await startFiles({
    DOCUMENSO_URL: providers.url,
    DOCUMENSO_API_KEY: 'api_documenso',
    DOCUMENSO_WEBHOOK_SECRET: secret,
    DOCUSEAL_URL: providers.url,
    DOCUSEAL_API_KEY: 'key_docuseal',
    DOCUSEAL_WEBHOOK_SECRET: secret,
  });
  providers.signed = await aPdf([0, 90, 180]);
  const requests = providerRequests(service, providers);
  return {
    ...requests,
    service,
    providers,
    async close() {
      await service.close();
      await providers.close();
    },
  };
}

function providerRequests(service: TestFiles, providers: ProviderServer) {
  async function sendBy(provider: ProviderName) {
    const api = service.as();
    const file = await uploadPdf(api);
    providers.received.length = 0;
    const { data, status } = await api.createSignatureRequest({
      params: { id: file.id },
      body: { provider, signers: [ada, { ...zofia, role: 'approver' }], fields: [{ ...place, type: 'signature' }] },
    });
    expect([status, data.status]).toEqual([201, 'sent']);
    await until('the provider has it', async () => (await getRequest(api, data.id)).signers[0].status === 'sent');
    const code = service.codec().encode('signature_request', api.caller.tenantId as number, Number(data.id));
    return { api, file, id: data.id as string, externalId: `live_${code}` };
  }

  /** Runs the job of the time at which a request expires. */
  const passExpiry = ({ api, id }: { api: Api; id: string }) =>
    service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'expire-signature-request' AND payload->>'requestId' = $1`,
      [id],
    );

  /** Sends the event of a provider. */
  function tell(
    provider: ProviderName,
    externalId: string,
    event: Event,
    headers?: Record<string, string>,
    ref?: number,
  ) {
    const body = JSON.stringify(
      provider === 'documenso' ? documensoEvent(externalId, event, ref) : docusealEvent(externalId, event, ref),
    );
    const signed =
      provider === 'documenso' ? { 'x-documenso-secret': secret } : { 'x-docuseal-signature': docusealSignature(body) };
    const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
    return service.send(
      files.receiveSignatureWebhook,
      {
        params: { provider },
        raw: { content: body, type: 'application/json' },
        headers: headers ?? (signed as Record<string, string>),
      },
      nobody,
    );
  }

  return { sendBy, passExpiry, tell };
}

function documensoEvent(externalId: string, event: Event, ref = 10) {
  const names = {
    viewed: 'DOCUMENT_OPENED',
    signed: 'DOCUMENT_SIGNED',
    declined: 'DOCUMENT_REJECTED',
    completed: 'DOCUMENT_COMPLETED',
    cancelled: 'DOCUMENT_CANCELLED',
  };
  const signingStatus = {
    viewed: 'NOT_SIGNED',
    signed: 'SIGNED',
    declined: 'REJECTED',
    completed: 'SIGNED',
    cancelled: 'NOT_SIGNED',
  }[event];
  const recipients = [
    {
      id: 50,
      email: ada.email,
      readStatus: 'OPENED',
      signingStatus,
      signedAt: '2026-03-02T09:15:00.000Z',
      rejectionReason: 'No',
    },
    {
      id: 51,
      email: zofia.email,
      readStatus: 'NOT_OPENED',
      signingStatus: 'NOT_SIGNED',
      signedAt: null,
      rejectionReason: null,
    },
  ];
  return {
    event: names[event],
    payload: { id: ref, externalId, title: 'contract.pdf', recipients },
    createdAt: '2026-03-02T09:15:01.000Z',
  };
}

export function docusealEvent(externalId: string, event: Event, ref = 77) {
  const timestamp = '2026-03-02T09:15:01.000Z';
  if (event === 'completed' || event === 'cancelled')
    return {
      event_type: event === 'completed' ? 'submission.completed' : 'submission.archived',
      timestamp,
      data: { id: ref, submitters: [{ id: 1, external_id: externalId }] },
    };
  const event_type = { viewed: 'form.viewed', signed: 'form.completed', declined: 'form.declined' }[event];
  const data = {
    id: 1,
    email: ada.email,
    external_id: externalId,
    decline_reason: event === 'declined' ? 'No' : null,
    submission: { id: ref },
  };
  return { event_type, timestamp, data };
}
