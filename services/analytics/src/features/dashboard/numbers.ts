import type { Dashboard } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { MeasureName } from '../counting/index.ts';
import type { Sum } from './sums.ts';

type Numbers = z.output<typeof Dashboard>;
type Money = Numbers['opportunities']['wonValue'];

const daySeconds = 86_400;

/** Adds up sums by name and value. */
export function totals(sums: readonly Sum[]) {
  const of = (name: MeasureName, values?: readonly string[]) =>
    sums.filter((sum) => sum.name === name && (!values || values.includes(sum.value)));
  return {
    count: (name: MeasureName, ...values: string[]) => total(of(name, values.length ? values : undefined)),
    amount: (name: MeasureName) => of(name).reduce((all, { amount }) => all + amount, 0),
    money: (name: MeasureName): Money =>
      [...Map.groupBy(of(name), ({ value }) => value)]
        .map(([currency, ofCurrency]) => ({
          currency,
          amount: rounded(amountOf(ofCurrency), 4),
          count: total(ofCurrency),
        }))
        .filter(({ amount, count }) => amount !== 0 || count !== 0)
        .map(({ currency, amount }) => ({ currency, amount }))
        .sort((a, b) => a.currency.localeCompare(b.currency)),
    byValue: (name: MeasureName): Record<string, number> =>
      Object.fromEntries(
        [...Map.groupBy(of(name), ({ value }) => value)]
          .map(([value, ofValue]) => [value, total(ofValue)] as const)
          .filter(([, count]) => count !== 0)
          .sort(([a], [b]) => a.localeCompare(b)),
      ),
  };
}
type Totals = ReturnType<typeof totals>;

/** The numbers of a period. */
export function numbersOf(sums: readonly Sum[]) {
  const all = totals(sums);
  return {
    leads: leadNumbers(all),
    opportunities: opportunityNumbers(all),
    partners: {
      commissions: { count: all.count('commissions.earned'), amounts: all.money('commissions.earned') },
    },
    engagement: engagementNumbers(all),
    tasks: { completed: all.count('tasks.completed') },
  };
}

function leadNumbers({ count }: Totals) {
  const created = count('leads.new');
  const converted = count('leads.converted');
  return {
    new: created,
    converted,
    conversionRate: rate(converted, created),
    conversions: count('leads.conversions'),
  };
}

function opportunityNumbers({ count, amount, money }: Totals) {
  const [won, lost] = [count('opportunities.won'), count('opportunities.lost')];
  const cycles = count('opportunities.cycle');
  return {
    new: count('opportunities.new'),
    won,
    lost,
    wonValue: money('opportunities.won'),
    winRate: rate(won, won + lost),
    avgCycleDays: cycles ? rounded(amount('opportunities.cycle') / cycles / daySeconds, 1) : null,
  };
}

/**
 * Opens, clicks, replies and visits count once per message in the unique numbers, and not at all if software caused them. A click
 * counts as an open, as in the figures of campaigns, because many mail clients do not load images.
 */
function engagementNumbers({ count }: Totals): Numbers['engagement'] {
  const human = (name: MeasureName) => count(name, 'first', 'opening', 'again');
  const sent = count('engagement.email_sent');
  const uniqueOpens = count('engagement.email_open', 'first') + count('engagement.link_click', 'opening');
  const uniqueClicks = count('engagement.link_click', 'first', 'opening');
  const replies = count('engagement.email_reply', 'first');
  const bounces = count('engagement.email_bounce');
  return {
    sent,
    opens: count('engagement.email_open'),
    humanOpens: human('engagement.email_open'),
    uniqueOpens,
    clicks: human('engagement.link_click'),
    uniqueClicks,
    replies,
    bounces,
    complaints: count('engagement.email_complaint'),
    smsSent: count('engagement.sms_sent'),
    formSubmissions: count('engagement.form_submission'),
    pageVisits: human('engagement.page_visit'),
    openRate: rate(uniqueOpens, sent),
    clickRate: rate(uniqueClicks, sent),
    replyRate: rate(replies, sent),
    bounceRate: rate(bounces, sent),
  };
}

/** A part in percent with one decimal; null if there is nothing to divide by. */
export function rate(part: number, whole: number): number | null {
  return whole ? rounded((100 * part) / whole, 1) : null;
}

export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

function total(sums: readonly Sum[]): number {
  return sums.reduce((all, { count }) => all + count, 0);
}

function amountOf(sums: readonly Sum[]): number {
  return sums.reduce((all, { amount }) => all + amount, 0);
}
