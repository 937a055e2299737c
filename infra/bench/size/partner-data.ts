import type { Client } from 'pg';
import { fillTables } from './fill-tables.ts';

export const partnerCount = Number(process.env['BENCH_PARTNERS'] ?? 10_000);
/** Commissions of each partner, over two years. */
export const commissionsOfPartner = 100;
/** The commissions of the largest partner, the first one, besides these. */
export const commissionsOfLargest = 50_000;
// Above the ids of records that are created during the benchmark.
export const firstId = 10_000_000;

const months = 24;
// One in five is approved and not in a payout.
const status = `CASE WHEN n % 10 < 4 THEN 'paid' WHEN n % 10 < 6 THEN 'approved' WHEN n % 10 < 9 THEN 'pending' ELSE 'cancelled' END`;

/** Fills the database of partner: partners with their commissions, ledger entries and statements, as a history would leave them. */
export async function fillPartner(url: string, tenantId: number, log: (line: string) => void): Promise<void> {
  const fill = async (client: Client) => {
    log(`filling partner: ${partnerCount} partners, ${partnerCount * commissionsOfPartner} commissions`);
    await client.query(partners(tenantId));
    await client.query(commissions(tenantId));
    await client.query(commissionsOfFirst(tenantId));
    await client.query(deals);
    await client.query(entries);
    await client.query(statements);
  };
  await fillTables(url, ['partner', 'commission', 'deal', 'ledger_entry', 'statement'], fill, { log });
}

const partners = (tenantId: number) => `
  INSERT INTO partner (tenant_id, environment, id, email, email_key, first_name, last_name, tier, status, approved_at)
  SELECT ${tenantId}, 'live', ${firstId} + p, 'partner.' || p || '@example.com', 'partner.' || p || '@example.com', 'First' || p,
    'Last' || p, (ARRAY['bronze','silver','gold','platinum'])[1 + p % 4], 'approved', now()
  FROM generate_series(1, ${partnerCount}) p`;

const commissions = (tenantId: number) => `
  INSERT INTO commission (tenant_id, environment, id, partner_id, amount_minor, currency, basis_minor, rate, type, status,
    opportunity_id, approved_at, paid_at, cancelled_at, ledger_state, created_at, updated_at)
  SELECT ${tenantId}, 'live', ${firstId} + p * ${commissionsOfPartner} + n, ${firstId} + p, 1000 + (p + n) % 9000, 'EUR', 100000, 5,
    'earned', ${status}, ${firstId} + p * ${commissionsOfPartner} + n,
    CASE WHEN ${status} IN ('paid', 'approved') THEN at END, CASE WHEN ${status} = 'paid' THEN at + interval '1 day' END,
    CASE WHEN ${status} = 'cancelled' THEN at + interval '1 day' END,
    CASE ${status} WHEN 'paid' THEN 'paid' WHEN 'cancelled' THEN 'cancelled' ELSE 'recorded' END, at, at
  FROM generate_series(1, ${partnerCount}) p, generate_series(0, ${commissionsOfPartner - 1}) n,
    LATERAL (SELECT now() - interval '2 days' - n * interval '${(months * 30) / commissionsOfPartner} days' AS at) AS recorded`;

// Paid: the payout has 100 commissions of each partner.
const commissionsOfFirst = (tenantId: number) => `
  INSERT INTO commission (tenant_id, environment, id, partner_id, amount_minor, currency, basis_minor, rate, type, status,
    opportunity_id, approved_at, paid_at, ledger_state, created_at, updated_at)
  SELECT ${tenantId}, 'live', ${2 * firstId} + n, ${firstId + 1}, 1000 + n % 9000, 'EUR', 100000, 5, 'earned', 'paid',
    ${2 * firstId} + n, at, at + interval '1 day', 'paid', at, at
  FROM generate_series(1, ${commissionsOfLargest}) n,
    LATERAL (SELECT now() - interval '2 days' - n * interval '${(months * 30 * 24) / commissionsOfLargest} hours' AS at) AS recorded`;

const deals = `
  INSERT INTO deal (tenant_id, environment, opportunity_id, version, partner_id, value_minor, currency, won_at)
  SELECT tenant_id, environment, opportunity_id, 1, partner_id, basis_minor, currency, created_at
  FROM commission WHERE id > ${firstId}`;

const entries = `
  INSERT INTO ledger_entry (tenant_id, environment, partner_id, currency, period, kind, amount_minor, commission_id, created_at)
  SELECT tenant_id, environment, partner_id, currency, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM'), kind, amount, commission.id, at
  FROM commission, LATERAL (
    SELECT 'earned' AS kind, amount_minor AS amount, created_at AS at
    UNION ALL SELECT 'payment', -amount_minor, paid_at WHERE paid_at IS NOT NULL
    UNION ALL SELECT 'cancellation', -amount_minor, cancelled_at WHERE cancelled_at IS NOT NULL) AS entry
  WHERE commission.id > ${firstId}`;

const statements = `
  INSERT INTO statement (tenant_id, environment, partner_id, period, currency, earned_minor, adjustments_minor, paid_minor, commission_count)
  SELECT tenant_id, environment, partner_id, period, currency,
    coalesce(sum(amount_minor) FILTER (WHERE kind = 'earned'), 0), coalesce(sum(amount_minor) FILTER (WHERE kind = 'cancellation'), 0),
    coalesce(-sum(amount_minor) FILTER (WHERE kind = 'payment'), 0), count(*) FILTER (WHERE kind = 'earned')
  FROM ledger_entry WHERE commission_id > ${firstId} GROUP BY 1, 2, 3, 4, 5`;
