import { currentTrace, endSpan, type Metrics, startSpan } from '@tandem/process';
import type { Outcome, Sender } from './send.ts';

type Labels = 'outcome';

/** A sender whose attempts are measured and have a span each, and how to give it the metrics of its process. */
export interface ObservedSender {
  sender: Sender;
  measure(metrics: Metrics): void;
}

/** Observes a sender. Labels and spans say where to only by host: the path of a webhook may be a secret. */
export function observed(sender: Sender): ObservedSender {
  let record = (_outcome: Outcome) => {};
  return {
    measure(metrics) {
      const seconds = metrics.histogram<Labels>(
        'webhook_delivery_seconds',
        'Time of one attempt to deliver a webhook, by what it met',
        ['outcome'],
      );
      record = ({ error, durationMs }) => seconds.observe({ outcome: error ?? 'delivered' }, durationMs / 1_000);
    },
    sender: {
      async send(to) {
        const trace = currentTrace();
        const attributes = { 'http.request.method': 'POST', 'server.address': new URL(to.url).hostname };
        const span = trace && startSpan(trace, { name: 'POST webhook', kind: 'client', attributes });
        const outcome = await sender.send(to);
        record(outcome);
        if (span && span !== trace) {
          const { error, statusCode } = outcome;
          endSpan(span, {
            attributes: statusCode === null ? {} : { 'http.response.status_code': statusCode },
            error: error ?? undefined,
          });
        }
        return outcome;
      },
    },
  };
}
