interface Tag {
  /** The beginning of the paths that belong to it; the longest one wins. */
  paths: string[];
  name: string;
  description: string;
}

const tags: Tag[] = [
  {
    paths: ['/v1/auth', '/.well-known'],
    name: 'Sign-in',
    description: 'Sessions of people: signing in and out, tokens, and the keys that verify them.',
  },
  {
    paths: ['/v1/tenants', '/v1/plans'],
    name: 'Tenants and plans',
    description: 'The account of a company: its settings and what its plan allows.',
  },
  {
    paths: ['/v1/api-keys'],
    name: 'API keys',
    description: 'Credentials of programs. Each works in one environment, live or sandbox.',
  },
  { paths: ['/v1/users'], name: 'Users', description: 'The people of a tenant.' },
  {
    paths: ['/v1/roles', '/v1/permissions'],
    name: 'Roles and permissions',
    description: 'What people and keys may do.',
  },
  {
    paths: ['/v1/leads'],
    name: 'Leads',
    description: 'People who may become customers, from the first contact to qualification.',
  },
  { paths: ['/v1/jobs'], name: 'Background work', description: 'The progress of what was answered with 202.' },
  {
    paths: ['/v1/integrations/webhooks'],
    name: 'Webhook subscriptions',
    description: 'Addresses of yours that receive events, and the record of every delivery.',
  },
  {
    paths: ['/v1/integrations/events'],
    name: 'Events',
    description: 'What happened, for programs that ask instead of being told.',
  },
  { paths: ['/v1/audit-logs'], name: 'Audit log', description: 'Who changed what, when and from where.' },
];

/** The tag of a path. A resource that has none here gets its name from the path, and a test asks for a description. */
export function tagOf(path: string): string {
  const fitting = tags.flatMap(({ paths, name }) =>
    paths.filter((start) => isUnder(path, start)).map((start) => ({ start, name })),
  );
  const [longest] = fitting.sort((a, b) => b.start.length - a.start.length);
  return longest?.name ?? fromPath(path);
}

/** The tags in use, in the order of the page. */
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
