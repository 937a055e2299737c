import { formSubmitted, messageEngaged, pageVisited } from '@tandem/campaign-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { type NewEvent, storeEvents } from './store-events.ts';

type Reported = Received<typeof messageEngaged | typeof pageVisited | typeof formSubmitted>;

/** Records what people did with messages, pages and forms of campaigns. Of a repeated report, the first one counts. */
export const recordMessages = consumer({
  name: 'record-messages',
  on: [messageEngaged, pageVisited, formSubmitted],
  async handle(events: Reported[], { tx, emit, schedule }: ConsumerContext<Tx>) {
    // Events of one tenant and environment are handled together.
    const { tenantId, environment } = events[0] as Reported;
    await storeEvents({ tx, emit, schedule }, events.flatMap(rowsOf), { scope: { tenantId, environment } });
  },
});

function rowsOf(event: Reported): NewEvent[] {
  if (event.name === 'form.submitted') {
    const { leadId, submissionId } = event.data;
    // A submission without a lead failed.
    if (leadId === null || !submissionId) return [];
    // Begins like the ids of everything that campaign reports.
    const insertId = `campaign-form-${submissionId}`;
    return [{ type: 'form_submission', leadId, insertId, timestamp: event.occurredAt, properties: {} }];
  }
  const { leadId, message, insertId, at: timestamp, automated, url } = event.data;
  const properties = url === null ? {} : { url };
  const common = { leadId, messageId: message, insertId, timestamp, automated, properties };
  if (event.name === 'landing_page.visited') return [{ ...common, type: 'page_visit' }];
  const { type, execution } = event.data;
  return [{ ...common, type, workflowExecutionId: execution }];
}
