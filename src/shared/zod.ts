import { z } from 'zod';

// The window's policy forbids code made from text, and zod tries that once when a schema is made. So this must run
// before any schema exists: everything in src/shared takes `z` from here.
z.config({ jitless: true });

export { z };
