import { Environment, event, flag, id, listQuery, name, operations, page, redirect, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { httpsUrl } from './fields.ts';

/** How many codes a partner can have. */
export const codesMax = 100;

/** The cookie with the id of the last click. */
export const clickCookie = 'tandem_click';

/** A code that attributes leads to a partner. Case-insensitive; stored in upper case. */
export const Code = z
  .string()
  .regex(/^[A-Za-z0-9-]{4,32}$/, { error: 'Must be 4 to 32 letters, digits and dashes' })
  .overwrite((code) => code.toUpperCase())
  .meta({
    description: 'Referral code: 4 to 32 letters, digits and dashes; stored in upper case',
    examples: ['JOAN-2026'],
  });

const clicks = (description: string, example: number) => z.int().meta({ description, examples: [example] });

export const ReferralCode = z.object({
  id: id('referral_code'),
  partnerId: id('partner'),
  code: Code,
  label: name(100)
    .nullable()
    .meta({ description: 'What the code is for', examples: ['Newsletter'] }),
  landingUrl: httpsUrl()
    .nullable()
    .meta({
      description:
        'The page that the link leads to; null for the default page of the program. Its host must be in `allowedHosts` of the addon Partner Program.',
      examples: ['https://www.example.com/offer'],
    }),
  campaignId: id('campaign')
    .nullable()
    .meta({
      description: 'The campaign that the code is used in. The link passes its id on to the page as `utm_campaign`',
      examples: [null],
    }),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the code expires; null if it does not', examples: [null] }),
  maxUses: z
    .int()
    .min(1, 'Must be at least 1')
    .max(1_000_000, 'Must be at most 1000000')
    .nullable()
    .meta({ description: 'How many leads the code can attribute; null for any number', examples: [null] }),
  isActive: z.boolean().meta({ description: 'Whether the code is active', examples: [true] }),
  uses: z.int().meta({ description: 'The number of referrals by the code, without void ones', examples: [3] }),
  clicks: clicks('The number of clicks on the link, also by software', 134),
  uniqueClicks: clicks('The number of people who clicked, each once a day', 95),
  botClicks: clicks('The number of clicks by software, such as crawlers and previews', 14),
  link: z.string().meta({
    description: 'The public link of the code',
    examples: ['https://api.example.com/v1/public/r/Gk0OwaA0vfwkSXsb/JOAN-2026'],
  }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const changed = { target: 'referral_code', record: ReferralCode } as const;
const data = z.object({ referralCodeId: id('referral_code'), partnerId: id('partner') });

export const referralCodeCreated = event('referral_code.created', {
  description: 'A partner gets a referral code',
  action: 'referral_code.create',
  data,
  ...changed,
});

export const referralCodeUpdated = event('referral_code.updated', {
  description: 'A referral code is updated',
  action: 'referral_code.update',
  data,
  ...changed,
});

export const referralCodeActivated = event('referral_code.activated', {
  description: 'A referral code is activated',
  action: 'referral_code.activate',
  data,
  ...changed,
});

export const referralCodeDeactivated = event('referral_code.deactivated', {
  description: 'A referral code is deactivated',
  action: 'referral_code.deactivate',
  data,
  ...changed,
});

const ofPartner = z.object({ id: id('partner') });
const withCode = ofPartner.extend({ codeId: id('referral_code') });
const { label, landingUrl, campaignId, expiresAt, maxUses } = ReferralCode.shape;
const writable = z.object({ label, landingUrl, campaignId, expiresAt, maxUses }).partial();
const also = [{ permission: 'campaigns:read', for: 'campaignId' }] as const;

export const codeErrors = {
  partner_not_approved: [409, 'The partner is not approved'],
  code_not_usable: [409, 'The referral code is inactive, expired or used up'],
} as const;

export const referralCodes = operations({
  createReferralCode: {
    method: 'POST',
    path: '/v1/partners/:id/referral-codes',
    permission: 'partners:write',
    also,
    summary: 'Create a referral code',
    description: `A code is generated if \`code\` is absent. Codes are unique in the tenant regardless of case, and never change. A partner has at most ${codesMax} codes. A code that is inactive, expired or used up attributes no leads, nor does a code of a partner who is not approved.`,
    params: ofPartner,
    body: writable.extend({ code: Code.nullish() }),
    reply: ReferralCode,
    status: 201,
    message: 'Referral code created',
    emits: [referralCodeCreated],
    errors: {
      partner_not_approved: codeErrors.partner_not_approved,
      code_taken: [409, 'The referral code exists; use a different one'],
      too_many_codes: [409, `The partner has ${codesMax} referral codes, the maximum; update one of them instead`],
    },
  },
  listReferralCodes: {
    method: 'GET',
    path: '/v1/partners/:id/referral-codes',
    permission: 'partners:read',
    summary: 'List the referral codes of a partner',
    params: ofPartner,
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        isActive: flag().describe('Return only codes that are active, or only those that are not').optional(),
      }),
    reply: page(ReferralCode),
    message: 'Referral codes retrieved',
  },
  updateReferralCode: {
    method: 'PATCH',
    path: '/v1/partners/:id/referral-codes/:codeId',
    permission: 'partners:write',
    also,
    summary: 'Update a referral code',
    description: 'Changes the given fields. The `code` itself never changes: create another one instead.',
    params: withCode,
    body: writable,
    reply: ReferralCode,
    message: 'Referral code updated',
    emits: [referralCodeUpdated],
  },
  activateReferralCode: {
    method: 'POST',
    path: '/v1/partners/:id/referral-codes/:codeId/activate',
    permission: 'partners:write',
    summary: 'Activate a referral code',
    description: 'An expired code cannot be activated: change `expiresAt` first. An active code stays as it is.',
    params: withCode,
    reply: ReferralCode,
    message: 'Referral code activated',
    emits: [referralCodeActivated],
    errors: {
      partner_not_approved: codeErrors.partner_not_approved,
      code_expired: [409, 'The referral code has expired; change expiresAt first'],
    },
  },
  deactivateReferralCode: {
    method: 'POST',
    path: '/v1/partners/:id/referral-codes/:codeId/deactivate',
    permission: 'partners:write',
    summary: 'Deactivate a referral code',
    description:
      'Leads that the code has attributed stay with the partner. Its link leads to the default page and counts no clicks.',
    params: withCode,
    reply: ReferralCode,
    message: 'Referral code deactivated',
    emits: [referralCodeDeactivated],
  },
  findReferralCode: {
    method: 'GET',
    path: '/v1/partners/referral-codes/:code',
    permission: 'partners:read',
    summary: 'Look up a referral code',
    description: 'For checkout forms: returns the partner of a code that can attribute a lead.',
    params: z.object({ code: Code }),
    reply: z.object({
      partnerId: id('partner'),
      partnerName: z.string().meta({ description: 'The name of the partner', examples: ['Joan Clarke'] }),
      company: z
        .string()
        .nullable()
        .meta({ description: 'The company of the partner', examples: ['Clarke Consulting'] }),
      code: Code,
      label: ReferralCode.shape.label,
    }),
    message: 'Referral code found',
    errors: codeErrors,
  },
  followReferralLink: {
    method: 'GET',
    path: '/v1/public/r/:tenant/:code',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Follow the link of a referral code',
    description:
      'Redirects to the landing page of the code, else to the default page of the program, and counts the click. Adds `clickId`, `ref` with the code, and `utm_campaign` with the id of its campaign to the query of the address, and sets a cookie with the id of the click for 90 days. `clickId` attributes a lead with `POST /v1/partners/referrals`. A HEAD request, which previews of links send, gets the address without `clickId`, and counts nothing. Codes that are unknown, inactive, expired or used up lead to the default page, and count nothing. Only hosts in `allowedHosts` of the addon Partner Program are followed; without a page the answer is 404.',
    params: z.object({
      tenant: id('tenant'),
      code: z
        .string()
        .max(100)
        .meta({ description: 'The referral code, in upper or lower case', examples: ['JOAN-2026'] }),
    }),
    query: z.object({
      environment: Environment.optional().meta({
        description: 'The environment of the code; `live` by default',
        examples: ['live'],
      }),
    }),
    cookies: { [clickCookie]: 'The id of the last click on a referral link' },
    reply: redirect(),
    message: 'A redirect to the landing page',
  },
});
