// The provider list as a minimal Node program (fastify, pg) makes it: pooled connections, prepared statements, the session
// and the rows of one user under row-level security.
import cluster from 'node:cluster';
import fastify from 'fastify';
import pg from 'pg';

const [port, host, database] = process.argv.slice(2);
const SESSION = 'SELECT user_id, session_id, email, display_name, antiforgery_key FROM usershell.sign_request_in($1)';
const PROVIDERS = `SELECT id, name, type, base_url, status, round_robin_accounts, has_key, key_hint, health_status,
  health_message, health_checked_at, created_at FROM usershell.providers WHERE owner_id = $1 ORDER BY created_at, id`;
const MODELS = `SELECT provider_id, model_id, display_name, capabilities, is_enabled FROM usershell.models
  WHERE owner_id = $1 ORDER BY position`;
const ACCOUNTS = `SELECT provider_id, id, name, key_hint, has_key, is_enabled, priority, health_status, health_message,
  health_checked_at FROM usershell.accounts WHERE owner_id = $1 ORDER BY priority, name, id`;

if (cluster.isPrimary) {
  for (let i = 0; i < 2; i += 1) cluster.fork();
} else {
  const pool = new pg.Pool({ host, database, user: 'usershell_manage', max: 8 });
  const app = fastify();
  app.get('/node', async (request, reply) => {
    const hash = Buffer.from(request.headers.cookie.split('=')[1], 'hex');
    const db = await pool.connect();
    const rows = async (name, text, value) => (await db.query({ name, text, values: [value] })).rows;
    try {
      const [session] = await rows('session', SESSION, hash);
      if (!session) return reply.code(401).send();
      const providers = await rows('providers', PROVIDERS, session.user_id);
      const byId = new Map(providers.map((each) => [each.id, Object.assign(each, { models: [], accounts: [] })]));
      for (const each of await rows('models', MODELS, session.user_id)) byId.get(each.provider_id).models.push(each);
      for (const each of await rows('accounts', ACCOUNTS, session.user_id)) byId.get(each.provider_id).accounts.push(each);
      return { providers };
    } finally {
      db.release();
    }
  });
  await app.listen({ port: Number(port), host: '127.0.0.1' });
}
