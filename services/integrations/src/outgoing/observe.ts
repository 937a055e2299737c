import { currentTrace, endSpan, type Metrics, startSpan } from '@tandem/process';
import type { Outcome, Sender } from './send.ts';

type Labels = 'outcome';

/** A sender with metrics and a trace span for each attempt. `measure` sets the metrics of the process. */
export interface ObservedSender {
  sender: Sender;
  measure(metrics: Metrics): void;
}

/** Adds metrics and spans to a sender. They contain only the host, because a webhook path may be secret. */
export function observed(sender: Sender): ObservedSender {
  let record = (_outcome: Outcome) => {};
  return {
    measure(metrics) {
      const seconds = metrics.histogram<Labels>(
        'webhook_delivery_seconds',
        'Duration of one delivery attempt, by outcome',
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
