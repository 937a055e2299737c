/** A browser as far as sign-ins need one: it keeps cookies by host and path, and does not follow redirects by itself. */
export class Browser {
  readonly #cookies = new Map<string, { host: string; path: string; pair: string }>();

  async open(address: string | URL, { method = 'GET', origin }: { method?: string; origin?: string } = {}) {
    const url = new URL(address);
    const cookie = this.#cookiesFor(url).join('; ');
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...(origin && { origin }) },
    });
    for (const set of response.headers.getSetCookie()) this.#keep(url, set);
    return response;
  }

  #cookiesFor({ hostname, pathname }: URL): string[] {
    return [...this.#cookies.values()]
      .filter(({ host, path }) => host === hostname && (path === pathname || pathname.startsWith(`${path}/`)))
      .map(({ pair }) => pair);
  }

  #keep({ hostname: host }: URL, set: string): void {
    const [pair = '', ...attributes] = set.split('; ');
    const attribute = (name: string) => attributes.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
    const path = attribute('Path') ?? '/';
    const key = `${host} ${path} ${pair.split('=')[0]}`;
    if (attribute('Max-Age') === '0') this.#cookies.delete(key);
    else this.#cookies.set(key, { host, path, pair });
  }
}
