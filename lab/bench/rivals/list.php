<?php
// The provider list as a minimal PHP script makes it: persistent connection, prepared statements, the session and the
// rows of one user under row-level security, JSON by json_encode().
$db = pg_pconnect($_SERVER['BENCH_DATABASE']);

function rows($db, $name, $sql, ...$values)
{
    $result = @pg_execute($db, $name, $values);
    if (!$result) {
        pg_prepare($db, $name, $sql);
        $result = pg_execute($db, $name, $values);
    }
    return pg_fetch_all($result);
}

const SESSION = 'SELECT user_id, session_id, email, display_name, antiforgery_key FROM usershell.sign_request_in($1)';
const PROVIDERS = 'SELECT id, name, type, base_url, status, round_robin_accounts, has_key, key_hint, health_status,'
    . ' health_message, health_checked_at, created_at FROM usershell.providers WHERE owner_id = $1 ORDER BY created_at, id';
const MODELS = 'SELECT provider_id, model_id, display_name, capabilities, is_enabled FROM usershell.models'
    . ' WHERE owner_id = $1 ORDER BY position';
const ACCOUNTS = 'SELECT provider_id, id, name, key_hint, has_key, is_enabled, priority, health_status, health_message,'
    . ' health_checked_at FROM usershell.accounts WHERE owner_id = $1 ORDER BY priority, name, id';

$hash = '\x' . $_COOKIE['bench'];
header('Content-Type: application/json; charset=utf-8');
$session = rows($db, 'session', SESSION, $hash);
if (!$session) {
    http_response_code(401);
    exit;
}
$user = $session[0]['user_id'];
$providers = array_column(rows($db, 'providers', PROVIDERS, $user), null, 'id');
foreach (rows($db, 'models', MODELS, $user) as $model) {
    $providers[$model['provider_id']]['models'][] = $model;
}
foreach (rows($db, 'accounts', ACCOUNTS, $user) as $account) {
    $providers[$account['provider_id']]['accounts'][] = $account;
}
echo json_encode(['providers' => array_values($providers)]);
