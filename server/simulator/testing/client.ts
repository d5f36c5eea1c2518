import { Agent, request } from "undici";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; a Status where it was refused. */
  readonly json: Json;
}

/** JSON whose shape a test knows. */
export type Json = { readonly [key: string]: Json } & readonly Json[] & string & number & boolean;

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** A plain HTTPS client that trusts one authority. */
export function client(origin: string, caPem: string, token: string | undefined) {
  const dispatcher = new Agent({ connect: { ca: caPem } });
  const headersOf = (call: Call): Record<string, string> => {
    const bearer = "token" in call ? call.token : token;
    return { ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }), ...(call.body === undefined ? {} : { "content-type": call.contentType ?? "application/json" }) };
  };
  const bodyOf = (call: Call): { body?: string } => (call.body === undefined ? {} : { body: typeof call.body === "string" ? call.body : JSON.stringify(call.body) });
  const ask = async (path: string, call: Call = {}): Promise<Answer> => {
    const answer = await request(`${origin}${path}`, { method: call.method ?? "GET", dispatcher, headers: headersOf(call), ...bodyOf(call) });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text, json: (text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : {}) as Json }; // the test says what it expects in it
  };
  return {
    ask,
    /** Opens a watch; `until` reads lines until one satisfies it or the stream ends. */
    watch: async (path: string) => {
      const ending = new AbortController();
      const answer = await request(`${origin}${path}`, { dispatcher, headers: headersOf({}), signal: ending.signal, bodyTimeout: 0 });
      const seen: Json[] = [];
      const lines = linesOf(answer.body);
      return {
        status: answer.statusCode,
        seen,
        until: async (wanted: (event: Json) => boolean): Promise<Json | undefined> => {
          for (;;) {
            const { done, value } = await lines.next();
            if (done === true) return undefined;
            seen.push(value);
            if (wanted(value)) return value;
          }
        },
        close: async (): Promise<void> => {
          ending.abort();
          await lines.return(undefined);
        },
      };
    },
    close: () => dispatcher.destroy(),
  };
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Json, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of body) {
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield JSON.parse(line) as Json; // see Answer
    }
  } catch (error) {
    // Closed by the test, or cut by the server: the stream has ended, which is what the test looks at.
    if (!(error instanceof Error)) throw error;
  }
  return undefined;
}
