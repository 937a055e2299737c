import type { KeyObject } from 'node:crypto';
import { fail } from '@tandem/service';
import type { CampaignSettings } from '../../settings.ts';
import { sendgridKey } from './sendgrid.ts';
import { createSns, type Sns } from './sns.ts';

/** The providers that may report; undefined for those that are not configured. */
export interface Providers {
  sns: Sns;
  ses: { topics: readonly string[] } | undefined;
  sendgrid: { key: KeyObject } | undefined;
  twilio: { secret: string } | undefined;
  email: { secret: string } | undefined;
}

export function createProviders(settings: CampaignSettings): Providers {
  const { SES_TOPIC_ARNS, SNS_ORIGIN, SENDGRID_WEBHOOK_KEY, TWILIO_AUTH_TOKEN, INBOUND_MAIL_SECRET } = settings;
  return {
    sns: createSns(SNS_ORIGIN),
    ses: SES_TOPIC_ARNS && { topics: SES_TOPIC_ARNS },
    sendgrid: SENDGRID_WEBHOOK_KEY === undefined ? undefined : { key: sendgridKey(SENDGRID_WEBHOOK_KEY) },
    twilio: TWILIO_AUTH_TOKEN === undefined ? undefined : { secret: TWILIO_AUTH_TOKEN },
    email: INBOUND_MAIL_SECRET === undefined ? undefined : { secret: INBOUND_MAIL_SECRET },
  };
}

/**
 * The settings of a provider.
 * @throws ApiError 404 when it is not configured
 */
export function configured<Settings>(settings: Settings | undefined): Settings {
  if (!settings) throw fail('not_found');
  return settings;
}
