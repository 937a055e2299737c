interface Tag {
  /** The path prefixes of the tag; the longest matching prefix wins. */
  paths: string[];
  name: string;
  description: string;
}

const tags: Tag[] = [
  {
    paths: ['/v1/auth', '/.well-known', '/reset-password', '/verify-email', '/invitations'],
    name: 'Sign-in',
    description:
      'Sign in, sign out, refresh tokens, reset passwords, prove e-mail addresses, and retrieve the keys that verify tokens.',
  },
  {
    paths: ['/v1/sso', '/v1/auth/sso'],
    name: 'Single sign-on',
    description: 'Sign-in through the OpenID Connect provider of a company.',
  },
  {
    paths: ['/v1/tenants', '/v1/plans'],
    name: 'Tenants and plans',
    description: 'Tenant accounts, their settings, and the available plans.',
  },
  {
    paths: ['/v1/api-keys'],
    name: 'API keys',
    description: 'Credentials for server-side integrations. Each key belongs to one environment, live or sandbox.',
  },
  {
    paths: ['/v1/users', '/v1/invitations'],
    name: 'Users',
    description: 'The users of a tenant, and invitations to become one.',
  },
  {
    paths: ['/v1/roles', '/v1/permissions'],
    name: 'Roles and permissions',
    description: 'Permissions of users and API keys.',
  },
  {
    paths: ['/v1/leads'],
    name: 'Leads',
    description: 'Potential customers, from first contact to qualification.',
  },
  {
    paths: ['/v1/opportunities'],
    name: 'Opportunities',
    description: 'Deals, from qualification to won or lost.',
  },
  {
    paths: ['/v1/accounts'],
    name: 'Accounts',
    description: 'Companies that leads and opportunities belong to.',
  },
  {
    paths: ['/v1/activities'],
    name: 'Activities',
    description: 'Calls, e-mails, meetings and notes, and what the system logs about leads and opportunities.',
  },
  { paths: ['/v1/tasks'], name: 'Tasks', description: 'Tasks of users, with due dates.' },
  {
    paths: ['/v1/config'],
    name: 'Configuration',
    description: 'Custom lead statuses and opportunity stages.',
  },
  {
    paths: ['/v1/partners', '/v1/public/r', '/v1/public/statements', '/v1/public/payout-files'],
    name: 'Partners',
    description: 'Companies and people who refer leads: registration, approval, commissions and statements.',
  },
  {
    paths: ['/v1/partners/co-marketing', '/v1/public/co-marketing', '/s'],
    name: 'Co-marketing',
    description: 'Marketing material that partners use, and share with public links.',
  },
  {
    paths: ['/v1/partners/portal', '/portal'],
    name: 'Partner portal',
    description: 'Operations for signed-in partners.',
  },
  { paths: ['/v1/campaigns'], name: 'Campaigns', description: 'Campaigns by e-mail and SMS.' },
  {
    paths: ['/v1/campaigns/senders', '/v1/campaigns/domains'],
    name: 'Senders',
    description: 'The addresses that campaigns send from, and their domains.',
  },
  {
    paths: ['/v1/campaigns/messages', '/v1/public/t', '/v1/public/providers'],
    name: 'Messages',
    description: 'Messages to leads, and what happened to them.',
  },
  {
    paths: [
      '/v1/campaigns/suppressions',
      '/v1/campaigns/topics',
      '/v1/public/unsubscribe',
      '/v1/public/preferences',
      '/unsubscribe',
      '/preferences',
    ],
    name: 'Subscriptions',
    description: 'Who gets no messages, topics to choose from, and the pages on which people choose.',
  },
  {
    paths: [
      '/v1/campaigns/landing-pages',
      '/v1/campaigns/page-domains',
      '/v1/public/pages',
      '/v1/public/page-domains',
      '/p',
      '/',
    ],
    name: 'Landing pages',
    description: 'Landing pages of campaigns, written manually or generated, and the domains that show them.',
  },
  {
    paths: ['/v1/forms', '/v1/public/forms', '/v1/public/form-confirmations', '/forms'],
    name: 'Forms',
    description: 'Forms of pages, whose submissions become leads.',
  },
  {
    paths: ['/v1/calendar', '/v1/public/rsvp', '/rsvp', '/v1/public/booking', '/book'],
    name: 'Calendar',
    description: 'Events with attendees, working hours, time off, free times, and links on which people book a time.',
  },
  {
    paths: ['/v1/workflows', '/v1/public/workflows'],
    name: 'Workflows',
    description: 'Automated sequences of steps for leads.',
  },
  {
    paths: ['/v1/campaigns/ai', '/v1/config/ai', '/v1/ai-generation', '/v1/ai'],
    name: 'AI generation',
    description: 'Generate sequences, landing pages, statuses, stages, text and structured data from a prompt.',
  },
  {
    paths: [
      '/v1/training',
      '/v1/public/certificates',
      '/v1/public/certificate-files',
      '/v1/public/scorm',
      '/certificates',
      '/learn',
    ],
    name: 'Training',
    description: 'Courses, lessons, SCORM packages, enrolments, progress, attempts and certificates.',
  },
  {
    paths: ['/v1/files', '/v1/public/files', '/v1/public/sign', '/sign'],
    name: 'Files',
    description: 'File uploads, versions, expiring download links and electronic signatures.',
  },
  {
    paths: ['/v1/search'],
    name: 'Search',
    description: 'Typo-tolerant full-text search over leads, opportunities and partners.',
  },
  {
    paths: ['/v1/analytics', '/v1/public/analytics'],
    name: 'Analytics',
    description: 'Engagement events: opens, clicks, replies and visits. Exports of events and of all lists.',
  },
  {
    paths: ['/v1/agents', '/v1/public/agents'],
    name: 'AI agents',
    description: 'AI agents that call leads and recommend next steps.',
  },
  { paths: ['/v1/teams'], name: 'Teams', description: 'Groups of users.' },
  {
    paths: ['/v1/addons'],
    name: 'Addons',
    description: 'Optional extensions of the platform.',
  },
  {
    paths: ['/v1/subscriptions', '/v1/public/billing'],
    name: 'Subscriptions',
    description: 'The plan of the tenant and its usage.',
  },
  {
    paths: ['/v1/notifications'],
    name: 'Notifications',
    description: 'Immediate and scheduled messages to users of the tenant.',
  },
  { paths: ['/v1/counts'], name: 'Counts', description: 'The counts of badges.' },
  {
    paths: ['/v1/views'],
    name: 'Views',
    description: 'Saved queries of lists. `view=<id>` on a list applies one.',
  },
  {
    paths: ['/v1/jobs', '/v1/public/exports'],
    name: 'Background jobs',
    description: 'The progress of jobs that a 202 response refers to.',
  },
  {
    paths: ['/v1/integrations/webhooks'],
    name: 'Webhook subscriptions',
    description: 'Endpoints that receive events, and the delivery log.',
  },
  {
    paths: ['/v1/integrations/events'],
    name: 'Events',
    description: 'The events of your tenant, for polling.',
  },
  {
    paths: ['/v1/integrations/api-logs'],
    name: 'API log',
    description: 'The calls of the API in the last 30 days, with their bodies.',
  },
  {
    paths: [
      '/v1/integrations/connectors',
      '/v1/integrations/oauth',
      '/v1/integrations/connections',
      '/v1/integrations/configs',
    ],
    name: 'Connections',
    description:
      'Connections to other systems, by OAuth 2.0 or with credentials, and the settings of their connectors.',
  },
  {
    paths: ['/v1/audit-logs', '/v1/public/audit-exports'],
    name: 'Audit log',
    description: 'A record of every change: who made it, when and from where.',
  },
];

/** The tag of a path. An unlisted resource gets a tag named after its path, and a test then requires a description. */
export function tagOf(path: string): string {
  const fitting = tags.flatMap(({ paths, name }) =>
    paths.filter((start) => isUnder(path, start)).map((start) => ({ start, name })),
  );
  const [longest] = fitting.sort((a, b) => b.start.length - a.start.length);
  return longest?.name ?? fromPath(path);
}

/** The used tags in their order on the page. */
export function tagsOf(paths: string[]): { name: string; description?: string }[] {
  const used = new Set(paths.map(tagOf));
  const described = tags
    .filter(({ name }) => used.delete(name))
    .map(({ name, description }) => ({ name, description }));
  return [...described, ...[...used].map((name) => ({ name }))];
}

function isUnder(path: string, start: string): boolean {
  return path === start || path.startsWith(`${start}/`) || path.startsWith(`${start}:`);
}

function fromPath(path: string): string {
  const segment = (path.split('/')[2] ?? path).replaceAll('-', ' ');
  return segment.charAt(0).toUpperCase() + segment.slice(1);
}
