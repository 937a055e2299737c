import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestReply, type TestRequest, type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from './campaign.test-service.ts';
import { type CrmPeer, crmPeer } from './crm-peer.test-service.ts';
import type { CampaignSettings } from './settings.ts';
import { type SnsPeer, snsPeer } from './sns.test-service.ts';

type Service = TestService<typeof campaign>;
type Api = ReturnType<Service['as']>;

/** A campaign service with the providers that report to it. */
export interface Reporting {
  service: Service;
  crm: CrmPeer;
  mailbox: Mailbox;
  sns: SnsPeer;
  /** Sends a report as a provider, without a tenant. */
  report(provider: string, raw: { content: string; type: string }, more?: More): Promise<TestReply>;
  /** A signed notification of Amazon SES. */
  ses(notification: object): Promise<TestReply>;
  /** A signed batch of events of SendGrid. */
  sendgrid(events: object[], more?: { wrong?: boolean; timestamp?: string }): Promise<TestReply>;
  /** A signed form of Twilio. */
  twilio(fields: Record<string, string>, more?: { token?: string; wrong?: boolean }): Promise<TestReply>;
  /** A signed incoming message. */
  email(mime: string, more?: { secret?: string; ageSeconds?: number }): Promise<TestReply>;
  /** A lead that got the message of a workflow: its execution, its message and the Message-ID. */
  sentTo(api: Api, workflow?: { campaignId?: string; settings?: object; after?: object[] }): Promise<SentMessage>;
  close(): Promise<void>;
}

interface More {
  headers?: Record<string, string>;
  query?: Record<string, string>;
}

export interface SentMessage {
  leadId: string;
  address: string;
  executionId: string;
  id: string;
  messageId: string;
}

const twilioToken = 'the-auth-token-of-the-test';
const inboundSecret = 'the-secret-of-incoming-mail-in-tests';
const publicUrl = 'https://api.example.com';

export async function startReporting(others: Partial<CampaignSettings> = {}): Promise<Reporting> {
  const [crm, mailbox, sns] = await Promise.all([crmPeer(), startMailbox(), snsPeer()]);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const service = await startCampaign(undefined, undefined, {
    CRM_URL: crm.url,
    SMTP_URL: mailbox.smtpUrl,
    SES_TOPIC_ARNS: [sns.topic],
    SNS_ORIGIN: sns.origin,
    SENDGRID_WEBHOOK_KEY: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    TWILIO_AUTH_TOKEN: twilioToken,
    INBOUND_MAIL_SECRET: inboundSecret,
    ...others,
  });
  const send = (operation: keyof typeof campaign, request: TestRequest) => {
    const { tenantId: _, ...caller } = service.as({ type: 'anonymous', permissions: [] }).caller;
    return service.send(service.operations[operation], request, caller);
  };
  const report: Reporting['report'] = (provider, raw, { headers = {}, query = {} } = {}) =>
    send('receiveProviderEvent', { params: { provider }, raw, headers, query });
  return {
    service,
    crm,
    mailbox,
    sns,
    report,
    ses: (notification) =>
      report('ses', { content: sns.message({ Message: JSON.stringify(notification) }), type: 'text/plain' }),
    sendgrid(events, { wrong = false, timestamp = String(Math.floor(Date.now() / 1_000)) } = {}) {
      const content = JSON.stringify(events);
      const sign = createSign('sha256')
        .update(timestamp)
        .update(wrong ? `${content} ` : content);
      const headers = {
        'x-twilio-email-event-webhook-signature': sign.sign(privateKey, 'base64'),
        'x-twilio-email-event-webhook-timestamp': timestamp,
      };
      return report('sendgrid', { content, type: 'application/json' }, { headers });
    },
    twilio(fields, { token, wrong = false } = {}) {
      const url = `${publicUrl}/v1/public/providers/twilio/events${token === undefined ? '' : `?message=${token}`}`;
      const names = Object.keys(fields).toSorted();
      const text = url + names.map((name) => name + fields[name]).join('') + (wrong ? 'x' : '');
      const headers = { 'x-twilio-signature': createHmac('sha1', twilioToken).update(text).digest('base64') };
      const raw = { content: String(new URLSearchParams(fields)), type: 'application/x-www-form-urlencoded' };
      return report('twilio', raw, { headers, ...(token !== undefined && { query: { message: token } }) });
    },
    email(mime, { secret = inboundSecret, ageSeconds = 0 } = {}) {
      const content = mime.replaceAll(/\r?\n/g, '\r\n');
      const timestamp = String(Math.floor(Date.now() / 1_000) - ageSeconds);
      const signature = createHmac('sha256', secret).update(`${timestamp}.${content}`).digest('hex');
      const headers = { 'x-tandem-signature': `v1=${signature}`, 'x-tandem-timestamp': timestamp };
      return send('receiveInboundMail', { raw: { content, type: 'message/rfc822' }, headers });
    },
    async sentTo(api, { campaignId, settings = {}, after = [] } = {}) {
      const leadId = crm.addLead(api.caller.tenantId as number);
      const nodes = [
        aNode('start', { type: 'trigger', data: { triggerType: 'manual' } }),
        aNode('one', { type: 'email', data: { subjectLine: 'Hello' } }),
        aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } }),
        ...after,
      ];
      const edges = ['one', 'pause'].map((target, at) => ({
        edgeId: `e${at}`,
        source: at ? 'one' : 'start',
        target,
      }));
      const body = { name: 'Test', nodes, edges, settings, ...(campaignId !== undefined && { campaignId }) };
      const { data: workflow } = await api.createWorkflow({ body });
      await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
      const enrolled = await api.enrollLeads({ params: { id: workflow.id }, body: { leadIds: [leadId] } });
      const { executionId } = enrolled.data.results[0];
      const id = await until('the message is sent', async () => {
        const { data } = await api.listMessages({ query: { leadId } });
        return data[0]?.status === 'sent' && (data[0].id as string);
      });
      const address = `lead${leadId}@example.com`;
      const messageId = mailbox.to(address)[0]?.messageId as string;
      return { leadId, address, executionId, id, messageId };
    },
    async close() {
      await service.close();
      await Promise.all([crm.close(), mailbox.close(), sns.close()]);
    },
  };
}

/** A bounce as Amazon SES reports it. */
export const sesBounce = ({ messageId, address }: SentMessage, bounceType = 'Permanent', feedbackId = messageId) => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType,
    bouncedRecipients: [{ emailAddress: address }],
    timestamp: new Date().toISOString(),
    feedbackId,
  },
  mail: { messageId: 'ses-1', commonHeaders: { messageId } },
});

/** A complaint as Amazon SES reports it. */
export const sesComplaint = ({ messageId, address }: SentMessage) => ({
  notificationType: 'Complaint',
  complaint: {
    complainedRecipients: [{ emailAddress: address }],
    timestamp: new Date().toISOString(),
    feedbackId: messageId,
    complaintFeedbackType: 'abuse',
  },
  mail: { messageId: 'ses-1', headers: [{ name: 'Message-ID', value: messageId }] },
});
